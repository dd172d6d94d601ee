"""Pools of workers that call models: threads, processes and Ray actors."""
