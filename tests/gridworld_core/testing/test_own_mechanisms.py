"""Our mechanisms are tested by the kit that others test theirs by."""

from gridworld.plugins import CORE_DISTRIBUTION, get_registry
from gridworld.testing import MechanismConformance


class TestBlocks(MechanismConformance):
    mechanism = "blocks"


class TestDoors(MechanismConformance):
    mechanism = "doors"


class TestGates(MechanismConformance):
    mechanism = "gates"


class TestHazards(MechanismConformance):
    mechanism = "hazards"


class TestKeys(MechanismConformance):
    mechanism = "keys"


class TestSwitches(MechanismConformance):
    mechanism = "switches"


class TestTeleporters(MechanismConformance):
    mechanism = "teleporters"


def test_every_mechanism_of_the_core_is_tested() -> None:
    tested = {kit.mechanism for kit in MechanismConformance.__subclasses__() if kit.__module__ == __name__}
    provided = get_registry().mechanisms
    assert tested == {each.item.name for each in provided if each.distribution == CORE_DISTRIBUTION}
