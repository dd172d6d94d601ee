"""The text backend is what every backend has to be, on squares and elsewhere."""

from gridworld.testing import BackendConformance, PluginModuleConformance
from gridworld_example_text_backend.backend import TextBackend


class TestTextBackend(BackendConformance):
    backend = TextBackend


class TestTextBackendOnHexagons(BackendConformance):
    backend = TextBackend
    arguments = {"tiling": "hex"}


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_text_backend"
