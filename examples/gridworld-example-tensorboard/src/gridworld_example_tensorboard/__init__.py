"""An observer that logs runs to TensorBoard."""
