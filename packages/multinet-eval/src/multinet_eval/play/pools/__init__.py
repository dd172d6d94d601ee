"""Where models are called: threads, processes and Ray actors."""
