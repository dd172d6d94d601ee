"""Legends and rules shown to models; they depend on a suite's vocabulary, not on single tasks."""
