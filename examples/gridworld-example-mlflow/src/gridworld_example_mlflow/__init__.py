"""An observer that logs runs to MLflow."""
