"""Models that follow a script, tasks for them, and runs played and probed in this process."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

from gridworld.actions import Action
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    BatchModel,
    EpisodeInfo,
    ModelInput,
    ModelInterface,
    ModelOutput,
    Prompt,
    Reply,
    Usage,
)
from gridworld.model_interface.chat_model import ChatModel
from gridworld.model_interface.prompts import question, reply_of
from gridworld.runner.record import Request
from gridworld.suites import load_folder
from gridworld.task_spec import TaskSpecification
from multinet_adapters.testing.model_servers import ChatRequest, action_json
from multinet_eval.play.observers import RunObserver
from multinet_eval.play.run import Run, RunOutcome, new_run, open_run
from multinet_eval.probing.probe_directory import AnsweredQuestion
from multinet_eval.probing.questions import Asked
from multinet_eval.record.lock import RunLock
from multinet_eval.record.manifest import RunOptions, Suite
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.task_result import ANSWERS
from multinet_eval.settings.asking import AnswerPolicies
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import BudgetLimits
from support.worlds import LETTERS, describe


class ScriptedModel(ModelInterface):
    """Plays the letters of `worlds.play` in each episode, then waits; keeps its inputs."""

    def __init__(self, letters: str = "") -> None:
        self._actions = [LETTERS[letter] for letter in letters.replace(" ", "")]
        self.episodes: list[EpisodeInfo] = []
        self.inputs: list[ModelInput] = []
        self.closed = 0

    @property
    def model_name(self) -> str:
        return "scripted"

    def begin_episode(self, episode: EpisodeInfo) -> None:
        self.episodes.append(episode)

    def predict(self, input: ModelInput) -> ModelOutput:
        self.inputs.append(input)
        script = self._actions
        return ModelOutput(script[input.step_number] if input.step_number < len(script) else Action.DONE)

    def close(self) -> None:
        self.closed += 1


class AnsweringModel(ScriptedModel):
    """Gives one answer after another, whatever the step, then waits.

    A letter is an action, an `AnswerOutcome` a fault of that kind, and an exception is raised.
    """

    def __init__(self, *answers: str | AnswerOutcome | ModelOutput | BaseException) -> None:
        super().__init__()
        self._answers = iter(answers)

    def predict(self, input: ModelInput) -> ModelOutput:
        self.inputs.append(input)
        answer = next(self._answers, "W")
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, AnswerOutcome):
            raise AnswerFault(answer, f"this is {answer}", raw_output="hm", usage=Usage(completion_tokens=1))
        return answer if isinstance(answer, ModelOutput) else ModelOutput(LETTERS[answer])


def outcomes(**counts: int) -> dict[str, int]:
    """The counts of `TaskResult.outcomes`, 0 by default."""
    unknown = set(counts) - set(ANSWERS)
    assert not unknown, f"no such outcome: {unknown}"
    return {kind.value: counts.get(kind.value, 0) for kind in ANSWERS}


def write_task(folder: Path, data: dict[str, Any], file: str | None = None) -> Path:
    """Write a task file, named after its task by default."""
    path = folder / (file or f"{data['task_id']}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def write_corridor(
    folder: Path, task_id: str, row: str = "@.G", *, tier: int = 1, file: str | None = None, **options: Any
) -> Path:
    """Write a task in one row, as `worlds.corridor` draws it, with 6 steps by default."""
    edge = "#" * (len(row) + 2)
    data = describe(f"{edge}\n#{row}#\n{edge}", **{"max_steps": 6, **options})
    return write_task(folder, {**data, "task_id": task_id, "difficulty_tier": tier}, file)


def task_ids(results: Iterable[Any]) -> list[str]:
    """The ids of tasks or results, in order."""
    return [result.task_id for result in results]


class SteeredModel(AnsweringModel):
    """An `AnsweringModel` that needs no pictures."""

    @property
    def looks_at_pictures(self) -> bool:
        return False


def record_run(
    path: Path,
    tasks: Iterable[TaskSpecification],
    model: ModelInterface | str = "",
    *,
    named: str = "random",
    requests: int | None = None,
    suite: str = "small",
    **settings: Any,
) -> RunDirectory:
    """Play tasks and record it.

    Args:
        path: new folder of the run.
        tasks: tasks of the suite.
        model: model, or letters that it plays one after another in all episodes before it waits.
        named: installed model that the settings name.
        requests: maximum number of requests.
        suite: name of the suite.
        settings: further fields of `RunSettings`.
    """
    given = {"model": named, "backend_arguments": ("tile_size=8",), **settings}
    player = SteeredModel(*model) if isinstance(model, str) else model
    run = new_run(RunSettings(**given), Suite(suite, tuple(tasks)), player, path)
    run.play(RunOptions(limits=BudgetLimits(requests=requests)), RunObserver())
    return RunDirectory(path)


def go_on(path: Path, epochs: int | None = None) -> RunDirectory:
    """Resume a run, with the model that its settings name."""
    run, _ = open_run(path, epochs=epochs)
    run.play(RunOptions(), RunObserver())
    return RunDirectory(path)


@contextmanager
def being_played(path: Path) -> Iterator[None]:
    """Hold the lock of a run, as the process that plays it does."""
    with RunLock(path):
        yield


def add_line(file: Path, line: str) -> None:
    """Append a line to a file of an episode."""
    with file.open("a", encoding="utf-8") as opened:
        opened.write(line + "\n")


UNSTEADY = ("F", AnswerOutcome.UNPARSABLE, "F", "F", AnswerOutcome.REFUSED, AnswerOutcome.EMPTY, "L", "F", "F", "F")
"""Answers for `AnsweringModel` that win two of three corridors, with faults on the way."""


def make_corridor_run(folder: Path, model: ModelInterface, *, tasks: int = 3, recorded: bool = True) -> Run:
    """A new run of corridors of three cells with six steps.

    Args:
        folder: parent of the folders ``tasks`` and, if recorded, ``run``.
        model: model that plays.
        tasks: number of corridors.
        recorded: whether to record the run.
    """
    for number in range(tasks):
        write_corridor(folder / "tasks", f"corridor_{number}")
    settings = RunSettings(
        "random", backend_arguments=["render_mode=none"], policies=AnswerPolicies(on_unparsable="skip")
    )
    suite = Suite("corridors", tuple(load_folder(folder / "tasks")))
    return new_run(settings, suite, model, folder / "run" if recorded else None)


def action_for(text: str) -> int:
    """An action that is a hash of the text, mostly move_forward."""
    return (2, 2, 2, 2, 0, 1, 5, 6)[crc32(text.encode()) % 8]


def answer_by_text(request: ChatRequest) -> str:
    """Reply of a stateless server."""
    return action_json(action_for(request.text))


def make_run(
    tasks: Path, directory: Path | None, model: str | BatchModel, arguments: Sequence[str] = (), **settings: Any
) -> Run:
    """A new run of the tasks of a folder, by default without pictures."""
    name = model if isinstance(model, str) else "random"
    asked: dict[str, Any] = {"backend_arguments": ("render_mode=none",), **settings}
    made = make_model(name, list(arguments)) if isinstance(model, str) else model
    suite = Suite("small", tuple(load_folder(tasks)))
    return new_run(RunSettings(model=name, model_arguments=arguments, **asked), suite, made, directory)


def play_run(run: Run, observer: RunObserver | None = None, **options: Any) -> RunOutcome:
    """Play a run to its end."""
    return run.play(RunOptions(**options), observer or RunObserver())


def results_of(directory: Path) -> str:
    """The results file of a finished run, without timings."""
    text = (directory / "results.json").read_text(encoding="utf-8")
    return re.sub(r'"(seconds|server_seconds)": [0-9.e-]+', r'"\1": 0', text)


PROBES = ("board", "cell", "distance", "effects", "find", "front", "listing", "pose")


class AskedModel(ChatModel):
    """Answers open questions by a function of their prompts; keeps the prompts."""

    def __init__(self, say: Callable[[Prompt], str] = lambda prompt: "{}") -> None:
        self._say = say
        self.asked: list[Prompt] = []

    @property
    def model_name(self) -> str:
        return "asked"

    @property
    def shareable(self) -> bool:
        return True

    def prompt(self, input: ModelInput) -> Prompt:
        return question()

    def send(self, prompt: Prompt) -> Reply:
        self.asked.append(prompt)
        return reply_of(self._say(prompt), sent=prompt)

    def read(self, reply: Reply, input: ModelInput) -> ModelOutput:
        return ModelOutput(6)

    def words(self, reply: Reply) -> str:
        return reply.text


def answered(asked: Asked, said: Any) -> AnsweredQuestion:
    """A question with a reply: a text, or an object for JSON."""
    text = said if isinstance(said, str) else json.dumps(said)
    return AnsweredQuestion(
        asked.place, asked.prompt.digest, asked.question, (Request(AnswerOutcome.OK, raw_output=text),)
    )
