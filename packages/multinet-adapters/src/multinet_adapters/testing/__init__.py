"""Fake model servers on loopback for testing adapters; they record all requests, and misbehave on demand."""
