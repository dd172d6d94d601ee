"""General utilities below all other packages: files, messages, argument checks, caches, lazy imports and PNG."""
