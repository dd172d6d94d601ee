"""The plugin of this distribution. It provides nothing yet; the multi-tiling backend will be registered here."""
