"""Task files: reading and writing, older forms, validation and the JSON Schema."""
