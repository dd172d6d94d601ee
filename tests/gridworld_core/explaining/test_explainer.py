"""What is explained follows the vocabulary, is told for every variant, and agrees with the kernel."""

import pickle
from typing import Any

import attrs
import numpy as np
import pytest

from gridworld.backends.kernel import GroundWords, KernelBackend, UnseenBackend
from gridworld.drawing.glyphs import Circle, Glyph
from gridworld.errors import PluginFault
from gridworld.explaining.explainer import Explainer
from gridworld.explaining.explanation import DrawnLater, Explanation, LabelledPicture
from gridworld.explaining.suite_vocabulary import KnownType, SuiteVocabulary, gather_things
from gridworld.plugins import get_registry
from gridworld.task_spec import Position, Rules, TaskSpecification
from gridworld.world import square_topology
from gridworld.world.mechanism_type import Explained, MechanismType, Trait
from support.worlds import begin, block, corridor, door, gate, hazard, key, play, switch, teleporter

EVERYTHING = SuiteVocabulary.of_everything(get_registry())


def backend() -> KernelBackend:
    """One without pictures, configured."""
    made = UnseenBackend(square_topology(5, 3))
    made.configure(corridor("@.G"))
    return made


class Bright(UnseenBackend):
    """Its walls can become bright."""

    wall = "grey"

    @property
    def ground_words(self) -> GroundWords:
        return GroundWords(wall=self.wall)


def explain(*suite: TaskSpecification, vocabulary: SuiteVocabulary | None = None, level: Any = "full") -> Explanation:
    found = vocabulary or SuiteVocabulary.of(suite, get_registry())
    made = Explainer(found).explain(backend(), level, has_pictures=True)
    assert made is not None
    return made


def told(explanation: Explanation, name: str) -> str:
    """The line of the rules about something."""
    assert explanation.rules is not None
    (line,) = [line for line in explanation.rules.splitlines() if line.startswith(f"- {name}:")]
    return line


def test_a_level_is_what_is_told() -> None:
    task = corridor("@k.G", k=key())
    assert Explainer(EVERYTHING).explain(backend(), "none", has_pictures=True) is None
    full, legend, rules = (explain(task, level=level) for level in ("full", "legend", "rules"))
    assert (legend.legend, legend.rules) == (full.legend, None)
    assert (rules.legend, rules.rules) == (None, full.rules)
    assert len(rules.pictures) == 0


def test_what_is_made_once_is_kept() -> None:
    explainer, shown = Explainer(EVERYTHING), backend()
    assert explainer.explain(shown, "full", True) is explainer.explain(shown, "full", True)


def test_another_style_of_pictures_is_explained_anew() -> None:
    explainer, shown = Explainer(EVERYTHING), Bright(square_topology(5, 3))
    shown.configure(corridor("@.G"))
    dark = explainer.explain(shown, "legend", True)
    shown.wall = "white"
    bright = explainer.explain(shown, "legend", True)
    assert dark is not None
    assert bright is not None
    assert "- wall: grey" in str(dark.legend)
    assert "- wall: white" in str(bright.legend)


def test_only_what_can_occur_is_told() -> None:
    plain = explain(corridor("@.G"))
    assert plain.legend is not None
    assert [line.split(":")[0] for line in plain.legend.splitlines()[1:]] == [
        "- wall",
        "- floor",
        "- you, the agent",
        "- goal",
    ]
    for word in ("key", "door", "hidden", "unseen", "In some tasks"):
        assert word not in f"{plain.legend}\n{plain.rules}"


def test_colours_and_states_are_those_of_the_suite() -> None:
    suite = [corridor("@k.D.G", k=key(color), D=door(color)) for color in ("purple", "red")]
    legend = explain(*suite).legend
    assert legend is not None
    assert "- key (red or purple): a key in its colour" in legend
    assert "- door (red or purple; open, closed or locked): " in legend
    shut = explain(corridor("@D.G", D=door(None, "closed"))).legend
    assert shut is not None
    assert "- door (grey; open or closed): " in shut


@pytest.mark.parametrize("known", EVERYTHING.mechanisms, ids=lambda known: str(known.type.name))
def test_every_variant_has_words_for_looks_and_effects(known: KnownType) -> None:
    for thing in gather_things(known, EVERYTHING.rules):
        assert thing.looks, thing.name
        assert all(thing.does), thing.name
        for form in thing.forms:
            state = form.adjective.removeprefix("switched-")
            assert all(word in " ".join(thing.looks) for word in (state, form.part)), (thing.name, form)


def test_rules_in_which_tasks_differ_are_told_as_such() -> None:
    consumed = corridor("@kD.G", k=key(), D=door("red"))
    kept = attrs.evolve(consumed, rules=Rules(key_consumption=False, observability="fog_of_war"))
    assert "In some tasks" not in told(explain(consumed), "key")
    assert "is used up by that" in told(explain(consumed), "key")
    assert "is kept" in told(explain(kept), "key")
    both = explain(consumed, kept)
    assert "In some tasks: While the agent carries it" in told(both, "key")
    assert "In other tasks: While the agent carries it" in told(both, "key")
    assert both.rules is not None
    assert "In some tasks: The whole maze is shown. In other tasks: What the agent sees now is shown" in both.rules


CLAIMS = [
    (
        "door",
        "if the agent faces it and carries a key of its colour",
        corridor("@kD.G", k=key(), D=door("red")),
        "PFT",
        {"open_doors": {"D"}},
    ),
    (
        "door",
        "toggle opens a closed door, and closes an open one with nothing in it, if the agent faces it; "
        "no key is needed",
        corridor("@D.G", D=door(None, "closed")),
        "TT",
        {"open_doors": set()},
    ),
    (
        "gate",
        "A gate that is closed at the start is open while",
        corridor("@sg.G", s=switch("g"), g=gate()),
        "FT",
        {"open_gates": {"g"}},
    ),
    (
        "gate",
        "it does not close while something is in it",
        corridor("@sg.G", s=switch("g", switch_type="hold"), g=gate()),
        "FF",
        {"open_gates": {"g"}, "agent_position": (3, 1)},
    ),
    ("gate", "stays open", corridor("@sg.G", s=switch("g"), g=gate("open")), "FTT", {"open_gates": {"g"}}),
    (
        "toggle switch",
        "and off again, if the agent faces it or stands on it",
        corridor("@s.G", s=switch()),
        "FTT",
        {"active_switches": set()},
    ),
    (
        "hold switch",
        "while the agent or a block stands on it",
        corridor("@s.G", s=switch(switch_type="hold")),
        "F",
        {"active_switches": {"s"}},
    ),
    (
        "block",
        "pushes it one cell further, and the agent follows",
        corridor("@b..G", b=block()),
        "F",
        {"agent_position": (2, 1), "block_positions": {"b": (3, 1)}},
    ),
    (
        "block",
        "free floor or a goal",
        corridor("@bG.", b=block()),
        "F",
        {"block_positions": {"b": (3, 1)}},
    ),
    (
        "lava hazard",
        "ends the episode at once, without success",
        corridor("@h.G", h=hazard()),
        "F",
        {"terminated": True, "goal_reached": False, "reward": 0.0},
    ),
    (
        "pit hazard",
        "Blocks cannot be pushed onto it",
        corridor("@bh.G", b=block(), h=hazard("pit")),
        "F",
        {"agent_position": (1, 1)},
    ),
    (
        "teleporter",
        "Stepping onto the exit has no effect",
        corridor("@b.a.G", ab=teleporter(bidirectional=False)),
        "F",
        {"agent_position": (2, 1)},
    ),
    (
        "teleporter",
        "While something blocks the cell where the agent would arrive, it has no effect",
        corridor("@akb.G", ab=teleporter(), k=key()),
        "F",
        {"agent_position": (4, 1)},
    ),
    (
        "teleporter",
        "Nothing can be dropped or pushed onto either end",
        corridor("@cb.a.G", ab=teleporter(bidirectional=False), c=block()),
        "F",
        {"agent_position": (1, 1)},
    ),
    (
        "mission",
        "A key counts once it has been picked up",
        corridor("@k.G", k=key(), goal={"type": "collect_all", "target_ids": ["k"]}),
        "P",
        {"goal_reached": True},
    ),
    (
        "mission",
        "stands on the target of its colour",
        corridor("@bX.G", b=block(), goal={"type": "push_block_to", "target_ids": ["b"], "target_positions": ["X"]}),
        "F",
        {"goal_reached": True},
    ),
    (
        "mission",
        "when the budget of steps is used up",
        corridor("@.G", goal={"type": "survive_steps"}, max_steps=2),
        "WW",
        {"goal_reached": True},
    ),
]


@pytest.mark.parametrize(("name", "claim", "task", "letters", "outcome"), CLAIMS)
def test_what_is_told_is_what_happens(
    name: str, claim: str, task: TaskSpecification, letters: str, outcome: dict[str, Any]
) -> None:
    rules = explain(task).rules
    assert rules is not None
    subjects = [line for line in rules.splitlines() if claim in line and name in line.split(":")[0]]
    assert subjects, rules
    state = play(begin(task), letters)
    assert {field: getattr(state, field) for field in outcome} == outcome


def test_where_blocks_can_be_pushed_is_told_of_what_the_tasks_have() -> None:
    goal = {"type": "push_block_to", "target_ids": ["b"], "target_positions": ["X"]}
    pushing = corridor("@bX.G", b=block(), goal=goal)
    assert "has to be free floor or a target;" in told(explain(pushing), "block")
    both = explain(pushing, corridor("@bs.G", b=block(), s=switch()))
    assert "has to be free floor, a goal, a target or a switch;" in told(both, "block")
    belts = boulders(traits=Trait.TAKES_BLOCKS)
    blocks = SuiteVocabulary.of([pushing], get_registry()).mechanisms
    with_belts = SuiteVocabulary((*blocks, KnownType(belts, (BoulderSpec("boulder", Position(1, 1)),))))
    assert "has to be free floor or a boulder;" in told(explain(vocabulary=with_belts), "block")


def test_nothing_is_told_of_pushes_where_nothing_can_be_pushed() -> None:
    assert "has to be" not in str(explain(corridor("@b.G", b=block(pushable=False))).rules)


@attrs.frozen
class BoulderSpec:
    """A third party's."""

    id: str
    position: Position
    weight: int = 1


def boulders(**fields: Any) -> MechanismType:
    return MechanismType(
        name="boulders",
        noun="boulder",
        summary="Too heavy to move.",
        spec=BoulderSpec,
        glyph=lambda spec, value: Glyph((Circle(0.5, 0.5, 0.4, (90, 90, 90)),)),
        **{"traits": Trait.SOLID, **fields},
    )


def of_boulders(*weights: int, **fields: Any) -> SuiteVocabulary:
    specs = tuple(BoulderSpec("boulder", Position(1, 1), weight) for weight in weights)
    return SuiteVocabulary(mechanisms=(KnownType(boulders(**fields), specs),))


def test_unexplained_mechanism_has_summary_and_traits() -> None:
    made = explain(vocabulary=of_boulders(1))
    assert told(made, "boulder") == "- boulder: Too heavy to move. The agent cannot step onto it."
    assert made.legend is not None
    assert made.legend.endswith("\n- boulder")


def test_mechanism_without_entries_has_summary() -> None:
    assert told(explain(vocabulary=of_boulders()), "boulder") == "- boulder: Too heavy to move."


def test_what_looks_alike_in_words_is_told_together() -> None:
    vocabulary = of_boulders(
        1, 2, explains=lambda spec, rules: Explained(("It stops.", f"Some weigh {spec.weight}."), "a\nball")
    )
    made = explain(vocabulary=vocabulary)
    assert told(made, "boulder") == "- boulder: It stops. Some weigh 1. Some weigh 2."
    assert made.legend is not None
    assert made.legend.endswith("\n- boulder: a ball")


def test_failing_explanation_names_its_mechanism() -> None:
    vocabulary = of_boulders(1, explains=lambda spec, rules: Explained(spec.nothing))
    with pytest.raises(PluginFault, match=r"mechanism 'boulders'.* failed in explains"):
        explain(vocabulary=vocabulary)
    with pytest.raises(PluginFault, match="mechanism 'boulders'"):
        Explainer(vocabulary).digest()


def test_the_digest_tells_vocabularies_apart() -> None:
    digests = {Explainer(each).digest() for each in (EVERYTHING, of_boulders(1), SuiteVocabulary())}
    assert len(digests) == 3
    assert Explainer(SuiteVocabulary.of_everything(get_registry())).digest() in digests


def test_pictures_are_drawn_late_and_pickled() -> None:
    drawn = []

    def draw() -> list[LabelledPicture]:
        drawn.append(1)
        return [LabelledPicture("a", np.zeros((1, 1, 3), np.uint8)), LabelledPicture("b", np.ones((1, 1, 3), np.uint8))]

    pictures = DrawnLater(draw)
    assert not drawn
    assert ([each.label for each in pictures], pictures[1].label, len(pictures), len(drawn)) == (["a", "b"], "b", 2, 1)
    assert [each.label for each in pickle.loads(pickle.dumps(pictures))] == ["a", "b"]
