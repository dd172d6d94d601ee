"""The plugin of this distribution. It provides nothing yet; model adapters will be registered here."""
