"""Texts of tasks, plugins, models and servers reach a terminal as letters only, whatever command prints them."""

import json
import shutil
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import Result

from gridworld.ascii import draw_task
from gridworld.plugins import get_registry
from gridworld.solver.state_table import tabulate
from gridworld.solver.table_cache import write_table
from gridworld.task_spec import TaskSpecification
from multinet_adapters.testing.model_servers import MODEL, Status, serve
from multinet_eval.support.output import json_text
from support.commands import invoke, leaf_commands
from support.plugins import write_distribution
from support.runs import write_task
from support.thoroughness import in_turn
from support.worlds import compiled, describe, key

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\x08\r\u202e\u2066\u2028\ud800[bold red]markup[/bold red]{0}"
"""Sets the title of a window, clears a screen, goes back, turns letters around, and cannot be encoded."""
WHOLE = HOSTILE.replace("\ud800", "")
"""Like `HOSTILE`, without the half character that no task file may hold."""
SEEN = "\\x1b]0;owned\\x07"
"""How the beginning of it is shown."""

PLUGIN = """
from gridworld.hookspecs import GeneratorInfo, ModelInfo, hookimpl

HOSTILE = {hostile!r}

@hookimpl
def gridworld_generators():
    return [GeneratorInfo("hostile", HOSTILE, "hostile_models:Mazes")]

@hookimpl
def gridworld_models():
    return [ModelInfo("hostile", HOSTILE, "hostile_models:Hostile"), ModelInfo("dead", HOSTILE, "hostile_models:Dead")]
"""

STUDY = """
[base]
model = "hostile"
suite = "."
backend_arguments = {{ tile_size = 8 }}

[[condition]]
name = {name}
"""

BROKEN = """
raise ImportError({hostile!r})
"""

MODELS = """
import attrs

from gridworld.generation import Generator, NothingDrawn
from gridworld.model_interface import (
    AnswerFault, AnswerOutcome, ChatModel, CheckedModel, Message, ModelOutput, PreflightCheck, Prompt, Text
)
from gridworld.model_interface.prompts import reply_of

HOSTILE = {hostile!r}

class Hostile(ChatModel, CheckedModel):
    __doc__ = HOSTILE.encode("utf-8", "replace").decode()

    def __init__(self, word: str = HOSTILE):
        self.asked = 0

    model_name = "hostile" + HOSTILE

    def prompt(self, input):
        return Prompt((Message("system", [Text(HOSTILE, HOSTILE)]), Message("user", [Text(input.text_prompt)])))

    def send(self, prompt):
        self.asked += 1
        return reply_of(HOSTILE, sent=prompt, settings={{HOSTILE: HOSTILE}})

    def read(self, reply, input):
        if self.asked == 2:
            raise AnswerFault(AnswerOutcome.UNPARSABLE, HOSTILE, raw_output=HOSTILE)
        return ModelOutput(action=0, reasoning=HOSTILE, raw_output=HOSTILE)

    def words(self, reply):
        return HOSTILE

    def check_ready(self):
        pass

    def preflight(self):
        return [PreflightCheck(HOSTILE, True, HOSTILE, 0.0), PreflightCheck(HOSTILE, False, HOSTILE, 0.0)]

@attrs.frozen
class Mazes(Generator):
    size: str = HOSTILE

    def draw(self, seed):
        raise NothingDrawn(HOSTILE)

class Dead(Hostile):
    def preflight(self):
        raise RuntimeError(HOSTILE)

    def send(self, prompt):
        raise RuntimeError(HOSTILE)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one task, of which every text is hostile."""
    folder = tmp_path_factory.mktemp("hostile-tasks")
    data = describe("#####\n#@kG#\n#####", max_steps=4, k=key())
    data["mechanisms"]["keys"][0]["id"] = "key" + WHOLE
    data["goal"] = {"type": "collect_all", "target_ids": ["key" + WHOLE]}
    task = write_task(folder, {**data, "task_id": "task" + WHOLE, "description": WHOLE}, "task.json")
    drawn = draw_task(TaskSpecification.from_json(task), get_registry())
    (folder / "drawing.txt").write_text(drawn, encoding="utf-8")
    (folder / "study.toml").write_text(STUDY.format(name=json_text(WHOLE)), encoding="utf-8")
    return folder


@pytest.fixture(scope="module", autouse=True)
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Plugins with hostile texts, one of which cannot be imported."""
    path = tmp_path_factory.mktemp("hostile-plugins")
    files = {
        "hostile_plugin.py": PLUGIN.format(hostile=HOSTILE),
        "hostile_models.py": MODELS.format(hostile=HOSTILE),
        "hostile_broken.py": BROKEN.format(hostile=HOSTILE),
    }
    entries = {"models": "hostile_plugin", "broken": "hostile_broken"}
    write_distribution(path, "hostile-plugin", "1.0", entries, files)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(path)
        yield


@pytest.fixture(scope="module")
def recorded(folder: Path, tmp_path_factory: pytest.TempPathFactory, plugins: None) -> Path:
    """A run of the hostile task by the hostile model."""
    path = tmp_path_factory.mktemp("hostile-runs") / "run"
    options = ["-m", "hostile", "--task-dir", folder, "-B", "tile_size=8", "--run-dir", path, "-q"]
    printed(invoke(["eval", *options], MULTINET_NO_RECORD=""))
    return path


@pytest.fixture(scope="module", autouse=True)
def kept(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A table of the hostile task in the cache."""
    cache = tmp_path_factory.mktemp("hostile-cache")
    table = tabulate(compiled(TaskSpecification.from_json(folder / "task.json")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRIDWORLD_CACHE", str(cache))
        write_table(table, cache / "tables" / "0")
        yield


def printed(result: Result) -> str:
    """Both outputs, which hold nothing that a terminal would obey."""
    text = result.stdout_bytes.decode("utf-8") + result.stderr_bytes.decode("utf-8")
    found = [char for char in text if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp", "Cf") and char != "\n"]
    assert found == [], text
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return text


HERE = "FOLDER"
"""Stands for the folder of the hostile task, ``FILE`` for its file, ``DRAWING`` for a drawing of it, ``STUDY`` for an
experiment on it, ``RUN`` for the folder of a recorded run, ``SECOND`` for another one, and ``WON`` for one that was
won."""

COMMANDS: dict[tuple[str, ...], list[str]] = {
    ("calibrate",): ["RUN", "WON"],
    ("compare",): ["RUN", "SECOND"],
    ("diagnose",): [HERE, "-m", "hostile", "-B", "tile_size=8"],
    ("experiment", "preview"): ["STUDY"],
    ("experiment", "run"): ["STUDY", "-o", "OUTPUT/study"],
    ("leaderboard",): ["RUN", "-o", "OUTPUT/board"],
    ("eval",): ["-m", "hostile", "--task-dir", HERE, "-B", "tile_size=8"],
    ("models", "check"): ["hostile"],
    ("models", "list"): [],
    ("plan",): ["--suite", HERE, "--difference", "0.5"],
    ("play",): ["--resume", "RUN"],
    ("plugins", "check"): ["dead", "--live"],
    ("plugins", "list"): [],
    ("plugins", "show"): ["hostile"],
    ("probe",): [HERE, "-m", "hostile", "-B", "tile_size=8"],
    ("prompts", "show"): ["FILE", "-m", "hostile"],
    ("report",): ["RUN", "-o", "OUTPUT/report.html"],
    ("runs", "export"): ["RUN", "--format", "csv", "-o", "OUTPUT/run.csv"],
    ("runs", "list"): ["--runs", "RUNS"],
    ("runs", "render"): ["RUN", "0", "-o", "OUTPUT/run.gif"],
    ("runs", "rescore"): ["RUN", "--by", "task"],
    ("runs", "resume"): ["RUN"],
    ("runs", "show"): ["RUN", "--episodes"],
    ("runs", "verify"): ["RUN"],
    ("tasks", "demos"): [HERE, "-o", "OUTPUT"],
    ("tasks", "gallery"): [HERE, "-o", "OUTPUT/page.html", "--tiling", "square"],
    ("tasks", "generate"): ["hostile", "--count", "1", "-o", "OUTPUT"],
    ("tasks", "import"): ["ascii", "DRAWING", "-o", "OUTPUT"],
    ("tasks", "list"): [HERE],
    ("tasks", "render"): ["FILE", "-o", "OUTPUT/task.png"],
    ("tasks", "schema"): [],
    ("tasks", "seal"): [HERE],
    ("tasks", "show"): ["FILE"],
    ("tasks", "solve"): ["FILE"],
    ("tasks", "upgrade"): [HERE],
    ("tasks", "validate"): [HERE],
    ("tasks", "verify"): ["FILE"],
}
"""Every command but one that shows no text of others, with arguments by which it meets such texts."""
WITHOUT_JSON = (
    ("play",),
    ("report",),
    ("runs", "export"),
    ("runs", "render"),
    ("tasks", "demos"),
    ("tasks", "gallery"),
    ("tasks", "render"),
    ("tasks", "seal"),
)
"""Commands that print a line or two, if anything."""
SHOWS_NONE = (
    ("plan",),
    ("play",),
    ("report",),
    ("runs", "export"),
    ("runs", "render"),
    ("runs", "verify"),
    ("tasks", "demos"),
    ("tasks", "gallery"),
    ("tasks", "import"),
    ("tasks", "render"),
    ("tasks", "schema"),
    ("tasks", "seal"),
    ("tasks", "upgrade"),
    ("tasks", "validate"),
)


def test_every_command_is_among_those_that_are_tried() -> None:
    assert sorted([*COMMANDS, ("plugins", "new")]) == leaf_commands()


def filled_in(command: tuple[str, ...], folder: Path, recorded: Path, scratch: Path) -> list[str]:
    """A command with its arguments; it is given a copy of the run."""
    run = scratch / "runs" / "run"
    if "RUN" in "".join(COMMANDS[command]):
        shutil.copytree(recorded, run)
    if "SECOND" in COMMANDS[command]:
        shutil.copytree(recorded, run.with_name("second"))
    if "WON" in COMMANDS[command]:
        options = ["--task-dir", folder, "-B", "tile_size=8", "--run-dir", run.with_name("won"), "-q"]
        printed(invoke(["eval", "-m", "optimal", *options], MULTINET_NO_RECORD=""))
    places = {
        HERE: folder,
        "FILE": folder / "task.json",
        "DRAWING": folder / "drawing.txt",
        "STUDY": folder / "study.toml",
        "RUN": run,
        "RUNS": run.parent,
        "SECOND": run.with_name("second"),
        "WON": run.with_name("won"),
    }
    return [
        *command,
        *(
            str(places.get(each, each)).replace("OUTPUT", str(scratch)) if each in places or "OUTPUT" in each else each
            for each in COMMANDS[command]
        ),
    ]


@in_turn("command, columns", list(COMMANDS), ["60", "200"])
def test_no_command_prints_what_a_terminal_obeys(
    command: tuple[str, ...], columns: str, folder: Path, recorded: Path, tmp_path: Path
) -> None:
    text = printed(invoke(filled_in(command, folder, recorded, tmp_path), COLUMNS=columns))
    assert (SEEN in text) == (command not in SHOWS_NONE)


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in WITHOUT_JSON], ids=" ".join)
def test_json_stays_json_with_every_character_in_it(
    command: tuple[str, ...], folder: Path, recorded: Path, tmp_path: Path
) -> None:
    as_json = [] if command == ("tasks", "schema") else ["--json"]
    result = invoke([*filled_in(command, folder, recorded, tmp_path), *as_json])
    printed(result)
    assert isinstance(json.loads(result.stdout), (dict, list))


def test_why_a_run_cannot_be_read_is_shown_in_letters(recorded: Path, tmp_path: Path) -> None:
    path = Path(shutil.copytree(recorded, tmp_path / "run"))
    file = path / "episodes" / "0.jsonl"
    header = file.read_bytes().split(b"\n")[0]
    file.write_bytes(header + b"\n" + json.dumps({"end": {"reason": WHOLE}}).encode() + b"\n")
    for arguments in (["list", "--runs", tmp_path], ["show", path], ["rescore", path]):
        assert SEEN in printed(invoke(["runs", *arguments]))


@pytest.mark.parametrize("command", [["models", "check", "dead"], ["eval", "-m", "dead", "--task-dir", HERE]])
def test_errors_of_plugins_are_shown_in_letters(command: list[str], folder: Path) -> None:
    assert SEEN in printed(invoke([str(folder) if each == HERE else each for each in command]))


@pytest.mark.parametrize(
    "command",
    [["models", "check"], ["eval", "--task-dir", HERE, "--on-infrastructure", "fail", "--patience", "0"]],
)
def test_errors_of_servers_are_shown_in_letters(command: list[str], folder: Path) -> None:
    with serve(lambda request: Status(503, HOSTILE)) as server:
        connection = ["-M", f"base_url={server.openai_url}", "-M", f"model={MODEL}"]
        name = ["openai"] if command[0] == "models" else ["-m", "openai"]
        text = printed(invoke([*(str(folder) if each == HERE else each for each in command), *name, *connection]))
    assert SEEN in text


def test_the_other_process_of_the_file_protocol_is_sent_letters(folder: Path, tmp_path: Path) -> None:
    options = ["-M", f"folder={tmp_path}", "-M", "timeout=0.05", "--on-infrastructure", "fail", "--history-text"]
    printed(
        invoke(
            ["eval", "-m", "file", "--task-dir", folder, "-B", "tile_size=8", "--observation", "image+text", *options]
        )
    )
    (request,) = (json.loads(path.read_text()) for path in tmp_path.rglob("request_*.json"))
    texts = [value for value in request.values() if isinstance(value, str)]
    assert any(SEEN in text for text in texts)
    assert not any("\x1b" in text or "\ud800" in text or "\u202e" in text for text in texts)
