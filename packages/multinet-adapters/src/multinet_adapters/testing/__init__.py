"""For the tests of adapters: model servers on loopback that record what they are sent, and misbehave when told to."""
