"""The probes that come with the toolkit; each is a plugin."""
