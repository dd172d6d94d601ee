"""Explanations are the same for all tasks that a model cannot tell apart."""

from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.backends.kernel import KernelBackend
from gridworld.errors import ArgumentError
from gridworld.explaining.explainer import Explainer
from gridworld.model_interface import AnswerFault, AnswerOutcome, Picture, Prompt, Reply, Text
from gridworld.runner.presentation import Presentation
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from gridworld_multigrid import MultiGridBackend
from multinet_adapters.openai_compatible import OpenAICompatibleAdapter
from multinet_eval import EvaluationHarness
from multinet_eval.play.observers import RunObserver
from multinet_eval.play.run import new_run, open_run
from multinet_eval.record.manifest import RunOptions, Suite
from multinet_eval.record.plan import task_hash
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import Briefing, RunSettings
from support.runs import ScriptedModel, write_task
from support.thoroughness import in_turn
from support.twins import as_it_looks, change_out_of_sight, seen_in, with_rules
from support.worlds import block, corridor, describe, door, draw_everything, hazard, key, tasks

BACKENDS: dict[str, KernelBackend] = {
    "minigrid": MiniGridBackend(tile_size=8),
    "hex": MultiGridBackend("hex", image_size=96),
    "triangle": MultiGridBackend("triangle", image_size=96),
}

OBSERVATION = "Current observation"


class Asked(OpenAICompatibleAdapter):
    """Keeps what it would send at the first step, and answers nothing."""

    sent: list[tuple[str, bytes]]

    def send(self, prompt: Prompt) -> Reply:
        self.sent = [
            (part.label, part.pixels.tobytes()) if isinstance(part, Picture) else (message.role, part.text.encode())
            for message in prompt.messages
            for part in message.parts
            if isinstance(part, Picture | Text)
        ]
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "enough", permanent=True)


def first_prompt(
    task: TaskSpecification, backend: KernelBackend, briefing: Briefing | None = None
) -> list[tuple[str, bytes]]:
    """All that a model is sent at the first step: whose text or which label, and text or pixels."""
    model = Asked(model="m", base_url="http://localhost:9/v1")
    presentation = Presentation(examples=0 if briefing is None else len(briefing.examples))
    harness = EvaluationHarness(model, backend, presentation=presentation, briefing=briefing)
    harness.evaluate_task(task)
    return model.sent


def suite_of(*suite: TaskSpecification, examples: int = 0) -> Briefing:
    return Briefing.of(suite, Presentation(examples=examples))


@given(task=tasks(), seed=st.integers(0, 10_000), mode=st.sampled_from(["view_cone", "fog_of_war"]))
def test_unseen_differences_do_not_change_the_first_prompt(task: TaskSpecification, seed: int, mode: str) -> None:
    task = with_rules(task, observability=mode, view_size=3)
    twin = change_out_of_sight(task, seen_in(task, ()), seed)
    briefing = suite_of(task, twin)
    assert first_prompt(task, BACKENDS["minigrid"], briefing) == first_prompt(twin, BACKENDS["minigrid"], briefing)
    assert first_prompt(task, BACKENDS["minigrid"]) == first_prompt(twin, BACKENDS["minigrid"])


@in_turn("name, tiling", ["c", "D", "s", "g", "B", "ab", "p", "l"], list(BACKENDS))
def test_hidden_things_do_not_change_explanations(name: str, tiling: str) -> None:
    """A picture is another matter: wall fills its place on every tiling, and a hidden block does not."""
    hiding = draw_everything(goal={"type": "survive_steps"}, rules={"hidden_mechanisms": [name]})
    bare = as_it_looks(hiding, name)
    assert bare is not None
    for briefing in (suite_of(hiding, bare), None):
        one, other = (first_prompt(task, BACKENDS[tiling], briefing) for task in (hiding, bare))
        assert [part for part in one if part[0] != OBSERVATION] == [part for part in other if part[0] != OBSERVATION]


def rules_told(model: ScriptedModel) -> list[str | None]:
    return [None if given.explanation is None else given.explanation.rules for given in model.inputs]


def test_explanations_cover_the_evaluated_tasks_or_all_types() -> None:
    plain, fiery = (
        corridor("@.G", max_steps=1),
        attrs.evolve(corridor("@.hG", max_steps=1, h=hazard()), task_id="fiery"),
    )
    model = ScriptedModel()
    harness = EvaluationHarness(model, BACKENDS["minigrid"])
    harness.evaluate_tasks([plain, fiery], "both")
    harness.evaluate_task(plain)
    harness.evaluate_tasks([plain], "one")
    both, again, alone, one = rules_told(model)
    assert both == again
    assert all(rules is not None for rules in rules_told(model))
    assert [("lava hazard" in str(rules), "teleporter" in str(rules)) for rules in (both, alone, one)] == [
        (True, False), (True, True), (False, False),
    ]  # fmt: skip


@pytest.mark.parametrize("level", ["none", "legend", "rules", "full"])
def test_explanations_are_the_same_at_every_step(level: str) -> None:
    model, task = ScriptedModel(), corridor("@k.G", max_steps=3, k=key())
    presentation = Presentation(explain=level)  # type: ignore[arg-type] # one of its words
    EvaluationHarness(model, BACKENDS["minigrid"], presentation=presentation).evaluate_task(task)
    assert len(model.inputs) == 3
    assert len({id(given.explanation) for given in model.inputs}) == 1
    assert (rules_told(model)[0] is None) == (level in ("none", "legend"))


@pytest.mark.parametrize("executor", ["local", pytest.param("processes", marks=pytest.mark.more)])
def test_explanations_are_shown_by_all_workers_and_after_resuming(executor: str, tmp_path: Path) -> None:
    """A process of its own finds what is told of the tasks in its settings; a resumed run, in the recorded tasks."""
    suite = Suite(
        "two", (corridor("@.G", max_steps=2), attrs.evolve(corridor("@.hG", h=hazard(), max_steps=2), task_id="h"))
    )
    settings, folder = RunSettings(model="random"), tmp_path / "run"
    new_run(settings, suite, make_model("random", []), folder).play(RunOptions(executor=executor), RunObserver())
    run, changed = open_run(folder)
    assert changed == []
    assert run.manifest.fingerprint["explained"] == Explainer(suite_of(*suite.tasks).vocabulary).digest()
    texts = " ".join(path.read_text() for path in (folder / "texts").glob("*.txt"))
    assert "lava hazard" in texts
    assert "teleporter" not in texts


@pytest.mark.more
def test_examples_are_shown_by_all_workers_and_after_resuming(tmp_path: Path) -> None:
    suite = Suite("one", (corridor("@kDG", k=key("red"), D=door("red"), max_steps=2),))
    settings, folder = RunSettings("random", presentation=Presentation("map", examples=2)), tmp_path / "run"
    new_run(settings, suite, make_model("random", []), folder).play(RunOptions(executor="processes"), RunObserver())
    run, changed = open_run(folder)
    assert changed == []
    shown = suite_of(*suite.tasks, examples=2).examples
    assert run.manifest.fingerprint["examples"] == [task_hash(task) for task in shown]
    texts = " ".join(path.read_text() for path in (folder / "texts").glob("*.txt"))
    assert texts.count("Solved by ") == 2


def test_unwinnable_examples_are_refused_before_playing(
    tmp_path: Path,
) -> None:
    """A block in a corner of two walls moves on one tiling and not on the other."""
    write_task(tmp_path / "examples", describe("#####\n#@b.#\n###G#\n#####", b=block()))
    suite = Suite("one", (corridor("@.b..G", b=block()),))
    shown = Presentation(examples=1, examples_from=str(tmp_path / "examples"))
    settings = RunSettings("random", backend="multigrid", tilings=("triangle", "square"), presentation=shown)
    with pytest.raises(ArgumentError, match=r"'drawn' cannot be won on multigrid \(square\)"):
        new_run(settings, suite, make_model("random", []), tmp_path / "run")
    assert not (tmp_path / "run").exists()
