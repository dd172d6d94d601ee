"""Metrics: numbers and words computed from recorded episodes; authors import from `multinet_eval`."""
