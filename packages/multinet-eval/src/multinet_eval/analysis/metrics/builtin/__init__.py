"""The bundled metrics, registered by `multinet_eval.plugin`."""
