"""Model servers on loopback for the tests of adapters; they record all requests, and misbehave on demand."""
