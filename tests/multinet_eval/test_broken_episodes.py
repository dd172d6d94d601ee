"""An episode that an exception of a model or a plugin puts an end to has a result, which says whose it was."""

from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

import pytest

from gridworld.errors import PluginFault
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    CheckedModel,
    EpisodeInfo,
    ModelInput,
    ModelInterface,
    ModelOutput,
    OracleInterface,
    PreflightCheck,
)
from gridworld.plugins import load_registry, using_registry
from gridworld.solver.optimal_model import OptimalModel
from gridworld.suites import load_folder
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from multinet_eval.evaluation_harness import EvaluationHarness
from multinet_eval.record.task_result import TaskResult
from support.plugins import write_distribution
from support.runs import AnsweringModel, ScriptedModel, outcomes, write_task
from support.worlds import corridor, describe


def play(model: ModelInterface, task: TaskSpecification | None = None, **options: Any) -> TaskResult:
    backend = options.pop("backend", None) or MiniGridBackend(render_mode=None)
    return EvaluationHarness(model, backend, **options).evaluate_task(task or corridor("@.G", max_steps=6))


# Models


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("choices"), "KeyError: 'choices'"),
        (RecursionError("deep"), "RecursionError: deep"),
        (SystemExit(3), "SystemExit: 3"),
        (PluginFault("odd"), "odd"),
    ],
)
def test_a_model_that_raises_is_named_with_the_step(error: BaseException, said: str) -> None:
    result = play(AnsweringModel("F", error))

    assert (result.error or "").startswith(f"model 'scripted' failed in predict at step 2: {said}")
    assert (result.scored, result.success, result.terminated, result.truncated) == (False, False, False, False)
    assert (result.steps_taken, result.optimal_steps) == (1, None)
    assert result.outcomes == outcomes(ok=1)


def test_a_model_that_is_interrupted_is_no_model_that_fails() -> None:
    with pytest.raises(KeyboardInterrupt):
        play(AnsweringModel("F", KeyboardInterrupt()))


@pytest.mark.parametrize("answer", [None, 2, "move_forward", {"action": 2}, (2, {})])
def test_other_return_values_of_a_model_fail(answer: Any) -> None:
    class Odd(ScriptedModel):
        def predict(self, input: ModelInput) -> ModelOutput:
            return answer  # type: ignore[no-any-return]

    error = play(Odd()).error
    assert error == f"model 'scripted' failed in predict at step 1: returned {answer!r}, expected a ModelOutput"


def test_a_model_that_raises_before_the_first_step_is_named() -> None:
    class Late(ScriptedModel):
        def begin_episode(self, episode: EpisodeInfo) -> None:
            raise OSError("no such file")

    class Blind(OracleInterface, ScriptedModel):
        def look_into(self, world: Any) -> None:
            raise ValueError("too dark")

    class Undecided(ScriptedModel):
        @property
        def looks_at_pictures(self) -> bool:
            raise LookupError("no idea")

    asked = "model 'scripted' failed in looks_at_pictures: LookupError: no idea ("
    assert (play(Undecided()).error or "").startswith(asked)
    assert (play(Late()).error or "").startswith(
        "model 'scripted' failed in begin_episode before the first step: OSError: no such file ("
    )
    assert (play(Blind()).error or "").startswith(
        "model 'scripted' failed in look_into before the first step: ValueError: too dark ("
    )


# Backends


@pytest.mark.parametrize(
    ("method", "when"),
    [
        ("on_configure", "in configure before the first step"),
        ("get_mission_text", "in get_mission_text before the first step"),
        ("observe", "in reset before the first step"),
        ("on_change", "in reset before the first step"),
        ("step", "in step at step 1"),
    ],
)
def test_a_backend_that_raises_is_named(method: str, when: str) -> None:
    def fail(self: Any, *arguments: Any) -> None:
        raise RuntimeError("no screen")

    backend: Any = type("Broken", (MiniGridBackend,), {method: fail})
    result = play(ScriptedModel("FF"), backend=backend(render_mode=None))
    said = f"backend 'minigrid' failed {when}: RuntimeError: no screen (test_broken_episodes.py, "
    assert (result.error or "").startswith(said)
    assert (result.steps_taken, result.scored) == (0, False)


@pytest.mark.parametrize(
    ("method", "place", "wrong", "when", "said"),
    [
        (
            "reset",
            1,
            None,
            "before the first step",
            "returned the state None, expected a GridState",
        ),
        ("reset", 2, None, "before the first step", "TypeError: "),
        ("step", 1, "high", "at step 1", "ValueError: could not convert string to float: 'high'"),
        ("step", 4, {}, "at step 1", "returned the state {}, expected a GridState"),
        ("step", 5, {"events": [7]}, "at step 1", "AttributeError: "),
    ],
)
def test_a_backend_that_returns_something_wrong_is_named(
    method: str, place: int, wrong: object, when: str, said: str
) -> None:
    def spoil(self: Any, *arguments: Any, **options: Any) -> tuple[Any, ...]:
        returned = list(getattr(MiniGridBackend, method)(self, *arguments, **options))
        returned[place] = wrong
        return tuple(returned)

    backend: Any = type("Broken", (MiniGridBackend,), {method: spoil})
    result = play(ScriptedModel("FF"), backend=backend(render_mode=None))
    assert (result.error or "").startswith(f"backend 'minigrid' failed in {method} {when}: {said}")
    assert (result.steps_taken, result.scored) == (0, False)


# Mechanisms and goals of third parties

BOMBS = """
import attrs
from gridworld.drawing.glyphs import Glyph
from gridworld.hookspecs import MechanismType, hookimpl
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import Trait

@attrs.frozen
class Bomb:
    id: str
    position: Position = attrs.field(converter=to_position)
    field: str = "on_enter"

def explode(field):
    def hook(world, state, bomb):
        if bomb.spec.field == field and state.heading == 0:
            raise RuntimeError("boom")
    return hook

def positions(bomb):
    if bomb.field == "positions":
        raise RuntimeError("boom")
    return {"position": bomb.position}

def validate(bomb, task):
    if bomb.field == "validate":
        raise RuntimeError("boom")
    return None if bomb.field == "nothing" else ()

def adjective(bomb, value):
    return 1 / 0 if bomb.field == "adjective" else "big"

@hookimpl
def gridworld_mechanisms():
    return [MechanismType(
        name="bombs", noun="bomb", summary="Raises.", spec=Bomb, traits=lambda bomb, value: Trait.NONE,
        glyph=lambda bomb, value: Glyph(()), on_enter=explode("on_enter"), tick=explode("tick"), adjective=adjective,
        positions=positions, validate=validate,
    )]
"""


@pytest.fixture
def _bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A plugin that provides a mechanism which raises after the first step."""
    write_distribution(tmp_path, "bomb-makers", "1.0", {"bombs": "bomb_makers"}, {"bomb_makers.py": BOMBS})
    monkeypatch.syspath_prepend(tmp_path)
    invalidate_caches()
    with using_registry(load_registry()):
        yield


def with_bomb(field: str) -> TaskSpecification:
    """A way around the bomb, and one over it in the second step."""
    data = describe("######\n#@.BG#\n#....#\n######", max_steps=20)
    data["mechanisms"] = {"bombs": [{"id": "B", "position": [3, 1], "field": field}]}
    return TaskSpecification.from_dict(data)


@pytest.mark.usefixtures("_bombs")
@pytest.mark.parametrize(("field", "letters"), [("on_enter", "FFF"), ("tick", "LRF")])
def test_a_raising_mechanism_is_named_with_its_distribution(field: str, letters: str) -> None:
    result = play(ScriptedModel(letters), with_bomb(field))
    said = f"mechanism 'bombs' (bomb-makers/bombs) failed in {field} at step 2: RuntimeError: boom "
    assert result.error == f"{said}(bomb_makers.py, line 17, in hook)"
    assert (result.steps_taken, result.outcomes) == (1, outcomes(ok=1))


@pytest.mark.usefixtures("_bombs")
def test_a_planning_model_is_not_blamed_for_a_mechanism() -> None:
    error = play(OptimalModel(), with_bomb("on_enter")).error
    assert error is not None
    assert error.startswith("mechanism 'bombs' (bomb-makers/bombs) failed in on_enter at step 1: RuntimeError: boom")


@pytest.mark.usefixtures("_bombs")
def test_a_mechanism_that_raises_in_the_solver_leaves_the_episode_unscored() -> None:
    """Another model would run into it."""
    result = play(ScriptedModel("RFLFFFLF"), with_bomb("on_enter"))
    assert result.success
    assert result.error is not None
    assert "(bomb-makers/bombs) failed in on_enter while the solver looked for a shortest plan" in result.error


@pytest.mark.usefixtures("_bombs")
def test_a_mechanism_that_cannot_be_described_is_named() -> None:
    error = play(ScriptedModel("FFF"), with_bomb("adjective"), observation="text").error
    said = (
        "mechanism 'bombs' (bomb-makers/bombs) failed in adjective before step 1: ZeroDivisionError: division by zero "
    )
    assert error == f"{said}(bomb_makers.py, line 31, in adjective)"


@pytest.mark.usefixtures("_bombs")
@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("validate", r"validate when the task '\w+' was checked: Run"),
        ("positions", r"positions when the task '\w+' was checked: Run"),
        ("nothing", "validate .*: returned None, expected tuple of Problem"),
    ],
)
def test_a_mechanism_that_fails_while_tasks_are_loaded_is_named(tmp_path: Path, field: str, told: str) -> None:
    write_task(tmp_path / "tasks", with_bomb(field).to_dict(), "one.json")
    with pytest.raises(PluginFault, match=rf"^mechanism 'bombs' \(bomb-makers/bombs\) failed in {told}"):
        load_folder(tmp_path / "tasks")


# Readiness


class Checked(CheckedModel, ScriptedModel):
    """Says whether it is ready as it is told."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__("FF")
        self.error = error

    def check_ready(self) -> None:
        if self.error is not None:
            raise self.error

    def preflight(self) -> list[PreflightCheck]:
        return []


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            AnswerFault(AnswerOutcome.INFRASTRUCTURE, "start the server"),
            "is not ready: start the server",
        ),
        (
            ValueError("bad"),
            "failed in check_ready: ValueError: bad",
        ),
    ],
)
def test_a_model_that_is_not_ready_plays_no_episode(error: Exception, message: str) -> None:
    model = Checked(error)
    with pytest.raises(PluginFault) as caught:
        EvaluationHarness(model, MiniGridBackend(render_mode=None)).evaluate_tasks([corridor("@.G")], "suite")
    assert str(caught.value).startswith(f"model 'scripted' {message}")
    assert model.episodes == []
