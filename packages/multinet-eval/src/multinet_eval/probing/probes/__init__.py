"""The bundled probes, each a plugin."""
