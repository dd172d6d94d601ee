"""The metrics of this distribution, which `multinet_eval.plugin` registers."""
