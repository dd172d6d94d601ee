"""A suite's vocabulary says what can occur, and nothing of where, how often, in which task or under which id."""

import random

import attrs
from hypothesis import given
from hypothesis import strategies as st

from gridworld.explaining.suite_vocabulary import SuiteVocabulary
from gridworld.plugins import get_registry
from gridworld.task_spec import Rules, TaskSpecification
from gridworld.world.goal_type import Mark
from support.worlds import block, corridor, door, gate, key, switch, tasks


def of(*suite: TaskSpecification) -> SuiteVocabulary:
    return SuiteVocabulary.of(suite, get_registry())


@given(suite=st.lists(tasks(), max_size=4), seed=st.integers(0, 99))
def test_order_and_repetition_of_tasks_do_not_matter(suite: list[TaskSpecification], seed: int) -> None:
    shuffled = random.Random(seed).sample([*suite, *suite[:2]], k=len(suite) + len(suite[:2]))
    assert of(*shuffled) == of(*suite)


def test_places_and_ids_mean_nothing() -> None:
    one, other = corridor("@k.G", k=key("red")), corridor("@.xG", x=key("red"))
    assert of(one) == of(other) == of(one, other)
    assert of(one) != of(corridor("@k.G", k=key("blue")))


def test_a_switch_has_the_type_that_the_rules_say() -> None:
    (known,) = of(corridor("@s.G", s=switch(), rules={"switch_type": "hold"})).mechanisms
    assert [spec.switch_type for spec in known.specs] == ["hold"]


def test_only_whether_mechanisms_hide_matters() -> None:
    plain = corridor("@k.G", k=key())
    hiding = attrs.evolve(plain, rules=Rules(hidden_mechanisms=("k",)))
    assert of(hiding).rules == of(plain).rules == (Rules(),)
    assert (of(plain).hides, of(hiding).hides, of(plain, hiding)) == (False, True, of(hiding))


def test_marks_have_colours_and_no_dots() -> None:
    pushing = corridor(
        "@b.X.G", b=block(color="teal"), goal={"type": "push_block_to", "target_ids": ["b"], "target_positions": ["X"]}
    )
    assert of(pushing, corridor("@.G")).marks == (Mark("goal"), Mark("target", "teal"))


def test_of_everything_has_all_installed_variants() -> None:
    everything = SuiteVocabulary.of_everything(get_registry())
    names = [known.type.name for known in everything.mechanisms]
    assert names == sorted(get_registry().mechanisms.names())
    specs = {known.type.name: known.specs for known in everything.mechanisms}
    assert {spec.color for spec in specs["keys"]} == {"red", "green", "blue", "purple", "yellow", "grey"}
    assert {spec.initial_state for spec in specs["doors"]} == {"open", "closed", "locked"}
    assert {spec.switch_type for spec in specs["switches"]} == {"toggle", "hold", "one_shot"}
    assert {spec.hazard_type for spec in specs["hazards"]} == {"lava", "pit", "spike"}
    assert {rules.observability for rules in everything.rules} == {"full", "view_cone", "fog_of_war"}
    assert everything.hides


def test_no_task_has_what_is_not_among_everything() -> None:
    everything = {
        known.type.name: set(known.specs) for known in SuiteVocabulary.of_everything(get_registry()).mechanisms
    }
    mixed = corridor("@kDsg.G", k=key("blue"), D=door("blue"), s=switch("g", color="red"), g=gate())
    for known in of(mixed).mechanisms:
        looks = {known.type.glyph(spec, known.type.values[0]) for spec in known.specs}
        assert looks <= {known.type.glyph(spec, known.type.values[0]) for spec in everything[known.type.name]}
