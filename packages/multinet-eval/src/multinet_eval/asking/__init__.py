"""How a model is asked for a decision: retries, policies for answers that cannot be used, and trying a model out."""
