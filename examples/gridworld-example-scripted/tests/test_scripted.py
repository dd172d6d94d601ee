"""The scripted model is what every model has to be."""

from gridworld.testing import ModelConformance, PluginModuleConformance
from gridworld_example_scripted.scripted import ScriptedModel


class TestScripted(ModelConformance):
    model = ScriptedModel
    arguments = {"actions": "move_forward turn_right pickup toggle"}


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_scripted"
