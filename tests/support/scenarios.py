"""Ways of playing a few small tasks, each a row of a table in which every two settings meet."""

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gridworld.backends.base import AbstractGridBackend
from support.commands import Finished, multinet, run_eval
from support.covering import Row
from support.model_server import MODEL, ModelServer, Schedule, Script, wander, write_prompt
from support.small_tasks import FOR_ANY_BACKEND, MECHANISMS, PLANS, TASKS, write_tasks

__all__ = ["BUDGETS", "EXTRAS", "FACTORS", "FORBIDDEN", "MOST_SESSIONS", "PRICES", "Stage", "make_backend", "stage"]

TILINGS = ("square", "hex", "triangle", "488", "3464")
FACTORS: Mapping[str, Sequence[str]] = {
    "tiling": (*TILINGS, "all"),
    "backend": ("minigrid", "multigrid", "text", "warehouse"),
    "model": ("openai", "optimal", "random"),
    "faults": ("none", "overload", "server", "model", "fatal", "huge"),
    "budget": ("none", "requests", "tokens", "cost"),
    "protocol": ("step", "chunk:3", "subgoal:4", "plan:2"),
    "context": ("fresh", "history", "conversation", "feedback"),
    "observation": ("image", "text", "image+coordinates", "none"),
    "executor": ("local", "processes"),
    "workers": ("1", "4"),
    "batch": ("1", "3"),
    "memory": ("none", "notes"),
    "epochs": ("1", "2"),
    "cache": ("no", "yes"),
}


def _never(name: str, values: Sequence[str], **others: Sequence[str]) -> list[Row]:
    """That no row has one of these values beside one of those others."""
    return [{name: one, key: each} for key, these in others.items() for one in values for each in these]


FORBIDDEN: Sequence[Row] = [
    *_never("backend", ["minigrid", "warehouse"], tiling=FACTORS["tiling"][1:]),
    *_never("backend", ["warehouse"], observation=["text", "image+coordinates"], context=["history", "feedback"]),
    *_never("backend", ["warehouse"], model=["optimal"]),
    *_never("backend", ["text"], observation=["image", "image+coordinates"]),
    *_never("model", ["random"], protocol=FACTORS["protocol"][1:], memory=["notes"]),
    *_never("model", ["random", "optimal"], faults=FACTORS["faults"][1:], budget=["tokens", "cost"], cache=["yes"]),
]
"""What is refused: a backend without tilings, texts or oracles, and baselines of which nothing is asked but actions."""

EXTRAS: Mapping[str, Row] = {
    **{
        f"mechanisms-{tiling}-{model}": {
            "tasks": "mechanisms",
            "backend": "multigrid",
            "tiling": tiling,
            "model": model,
        }
        for tiling in TILINGS
        for model in ("random", "optimal")
    },
    **{
        f"{suite}-{model}": {"tasks": suite, "backend": "minigrid", "tiling": "square", "model": model}
        for suite, model in [
            ("mechanisms", "greedy"),
            ("mechanisms", "explorer"),
            ("validation_10", "optimal"),
            ("validation_10", "random"),
        ]
    },
}
"""Rows beside the table: every mechanism on every tiling, and an installed suite."""

FAULTS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "overload": ("overloaded", "overloaded_for_now", "overloaded_for_a_second", "unavailable", "reset"),
    "server": ("broken", "hang", "cut", "torn", "page"),
    "model": ("prose", "unfinished", "empty", "illegal", "refusal"),
    "fatal": ("bad_request",),
    "huge": ("huge",),
}
CONTEXTS: Mapping[str, tuple[str, ...]] = {
    "fresh": (),
    "history": ("--history-images", "2", "--history-text", "--history-text-window", "3"),
    "conversation": ("--context", "conversation", "--context-steps", "2", "--context-images", "1"),
    "feedback": ("--feedback", "effect"),
}
BUDGETS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "requests": ("--max-requests", "5"),
    "tokens": ("--max-tokens", "500"),
    "cost": ("--max-cost", "0.0015"),
}
MOST_SESSIONS = 40
PRICES = (3.0, 7.0)
"""What a million tokens cost, of prompts and of replies."""
MODELS = {"random": ("-M", "seed=3"), "explorer": (), "greedy": (), "optimal": ()}
BACKENDS = {
    "minigrid": "gridworld_minigrid:MiniGridBackend",
    "multigrid": "gridworld_multigrid:MultiGridBackend",
    "text": "gridworld_example_text_backend.backend:TextBackend",
    "warehouse": "gridworld_example_simulator.backend:WarehouseBackend",
}
LETTERS = {
    "L": "turn_left",
    "R": "turn_right",
    "F": "move_forward",
    "P": "pickup",
    "T": "toggle",
}


def make_backend(name: str, tiling: str | None) -> AbstractGridBackend:
    """The backend of a row."""
    module, _, member = BACKENDS[name].partition(":")
    make: Callable[..., AbstractGridBackend] = getattr(importlib.import_module(module), member)
    return make() if name in ("minigrid", "warehouse") else make(tiling=tiling)


@dataclass(frozen=True)
class Stage:
    """Where the runs of one row are played; all lie in one folder."""

    row: Row
    folder: Path
    server: ModelServer | None
    plainly: bool
    """One request after the other, without budget and cache."""

    def play(self, run: Path) -> Finished:
        """Play a new run."""
        row = self.row
        return run_eval(
            *self._tasks(),
            *("--backend", row["backend"], *(() if row["tiling"] == "square" else ("--tiling", row["tiling"]))),
            *("--protocol", row.get("protocol", "step"), *CONTEXTS[row.get("context", "fresh")]),
            *("--memory", row.get("memory", "none"), "--observation", row.get("observation", self._observation())),
            *("--epochs", row.get("epochs", "1"), "--model", row["model"]),
            *(*self._model(), *self.ways(), *self._limits(), "--run-dir", run, "--json"),
        )

    def resume(self, run: Path) -> Finished:
        """Go on with a run, without a budget."""
        return multinet("runs", "resume", run, *self.ways(), *self._unlimited(), "--json")

    def finish(self, run: Path) -> Finished:
        """Play a new run, and go on with it until it is finished or cannot be."""
        finished, sessions = self.play(run), 1
        while finished.exit_code == 1 and "multinet runs resume" in finished.stderr and sessions < MOST_SESSIONS:
            finished, sessions = self.resume(run), sessions + 1
        return finished

    def extend(self, run: Path) -> Finished:
        """Add an epoch to a run."""
        epochs = int(self.row.get("epochs", "1")) + 1
        return multinet("runs", "extend", run, "--epochs", epochs, *self.ways(), *self._unlimited(), "--json")

    def ways(self) -> tuple[str, ...]:
        """The options that decide no result."""
        given = {"--executor": "executor", "--workers": "workers", "--batch-size": "batch"}
        chosen = {} if self.plainly else {option: self.row[name] for option, name in given.items() if name in self.row}
        return tuple(each for pair in chosen.items() for each in pair)

    def _tasks(self) -> tuple[object, ...]:
        chosen = self.row.get("tasks", "small")
        if chosen not in ("small", "mechanisms"):
            return ("--benchmark", chosen)
        folder = self.folder / "tasks"
        if not folder.exists():
            small = FOR_ANY_BACKEND if self.row["backend"] == "warehouse" else TASKS
            write_tasks(folder, small if chosen == "small" else MECHANISMS)
        return ("--benchmark", "directory", "--task-dir", folder)

    def _observation(self) -> str:
        return "text" if self.row["backend"] == "text" else "image"

    def _model(self) -> tuple[object, ...]:
        if self.server is None:
            return MODELS[self.row["model"]]
        prices = self.folder / "prices.toml"
        prices.write_text(f'["openai/{MODEL}"]\ninput = {PRICES[0]}\noutput = {PRICES[1]}\n', encoding="utf-8")
        slow = ("read_timeout=1",) if self.row["faults"] == "server" else ()
        prompt = write_prompt(self.folder.parent)  # all runs have the same: its path is an argument of the model
        given = (f"base_url={self.server.url}", f"model={MODEL}", "seed=1", f"prompt={prompt}", *slow)
        return (*(each for argument in given for each in ("-M", argument)), "--prices", prices)

    def _limits(self) -> tuple[object, ...]:
        if self.plainly:
            return ()
        cache = ("--cache", self.folder / "cache") if self.row.get("cache") == "yes" else ()
        return (*BUDGETS[self.row.get("budget", "none")], *cache)

    def _unlimited(self) -> tuple[str, ...]:
        """The option that removes a limit which the run remembers."""
        budget = BUDGETS[self.row.get("budget", "none")]
        return () if self.plainly or not budget else (budget[0], "none")


@contextmanager
def stage(row: Row, folder: Path, plainly: bool = False) -> Iterator[Stage]:
    """A stage for a row in a new folder, with a server if its model is behind one."""
    folder.mkdir()
    if row["model"] != "openai":
        yield Stage(row, folder, None, plainly)
        return
    rate = 0.15 if row["faults"] == "fatal" else 0.4  # the run ends each time
    schedule = Schedule(seed=5, kinds=FAULTS[row["faults"]], rate=rate)
    with ModelServer(_script(row["tiling"]), schedule) as server:
        yield Stage(row, folder, server, plainly)


def _script(tiling: str) -> Script:
    """Shortest plans, and what comes to its mind in a task for which there is none on the way."""
    plans = PLANS["square" if tiling == "all" else tiling]

    def act(max_steps: int, step: int) -> str:
        plan = plans.get(max_steps, "")
        return LETTERS[plan[step - 1]] if step <= len(plan) else wander(max_steps, step)

    return act
