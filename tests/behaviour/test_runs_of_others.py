"""The run of somebody else reaches no server, variable, file or folder that this call does not name."""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from multinet_adapters.testing.model_servers import ModelServer, action_json
from support.commands import Finished, multinet, run_eval
from support.model_servers import write_prompt
from support.task_files import write_corridors

SECRET = "value-of-a-variable"
VARIABLES = {"SOME_VARIABLE": SECRET, "OTHER_VARIABLE": SECRET}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with closing(ModelServer(lambda request: action_json(0))) as server:
        yield server


def call(*arguments: object, **variables: str) -> Finished:
    """Call ``multinet`` with the variables that the record names."""
    return multinet(*arguments, **{**VARIABLES, **variables})


def arguments_of(folder: Path, server: ModelServer) -> list[object]:
    """Arguments of a model that name an address, two variables, a file, and members of requests."""
    named = {
        "model": server.models[0],
        "base_url": server.openai_url,
        "api_key_env": "SOME_VARIABLE",
        "headers.X-Other": "@OTHER_VARIABLE",
        "extra_body.user": "somebody",
        "prompt": write_prompt(folder),
    }
    return [word for name, value in named.items() for word in ("-M", f"{name}={value}")]


@pytest.fixture
def run(tmp_path: Path, server: ModelServer) -> Path:
    """An unfinished run that names all that a run can name."""
    tasks, run = write_corridors(tmp_path / "tasks", 3, max_steps=4), tmp_path / "run"
    record = ("--run-dir", run, "--cache", tmp_path / "cache", "--max-requests", "1", "--observation", "text")
    finished = run_eval("--task-dir", tasks, "-m", "openai", *arguments_of(tmp_path, server), *record, **VARIABLES)
    assert server.received[-1].headers["authorization"] == f"Bearer {SECRET}", finished.stderr
    shutil.rmtree(tmp_path / "cache")
    return run


def words_in(message: str) -> list[str]:
    """The words of all commands' parts that a message lists."""
    return [word for line in message.splitlines() if line.startswith("  -") for word in shlex.split(line)]


def change(run: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    data = json.loads((run / "run.json").read_text(encoding="utf-8"))
    edit(data)
    (run / "run.json").write_text(json.dumps(data), encoding="utf-8")


def without_key(run: Path) -> dict[str, str]:
    return {"MULTINET_STATE": str(run.with_name("elsewhere"))}


def without_mac(run: Path) -> dict[str, str]:
    change(run, lambda data: data.pop("mac"))
    return {}


def with_another_variable(run: Path) -> dict[str, str]:
    arguments = json.loads((run / "run.json").read_text(encoding="utf-8"))["settings"]["model_arguments"]
    others = [each.replace("SOME", "OTHER") for each in arguments]
    change(run, lambda data: data["settings"].update(model_arguments=others))
    return {}


def with_a_second_mac(run: Path) -> dict[str, str]:
    change(run, lambda data: data.update(mac=["0" * 64]))
    return {}


WAYS = [without_key, without_mac, with_another_variable, with_a_second_mac]


@pytest.mark.parametrize("make_foreign", WAYS)
def test_it_is_resumed_only_with_all_that_it_names_given_again(
    tmp_path: Path, server: ModelServer, run: Path, make_foreign: Callable[[Path], dict[str, str]]
) -> None:
    variables, received = make_foreign(run), len(server.received)
    refused = call("runs", "resume", run, "--max-requests", "none", **variables)
    assert (refused.exit_code, len(server.received), (tmp_path / "cache").exists()) == (2, received, False)
    words = words_in(refused.stderr)
    assert [word for word in words if word.startswith("--")] == ["--base-url", "--cache"]
    names = [word.partition("=")[0] for before, word in pairwise(words) if before == "-M"]
    assert names == ["api_key_env", "headers.X-Other", "extra_body.user", "prompt"]

    most = call("runs", "resume", run, *words[:-2], "--max-requests", "none", **variables)
    assert (most.exit_code, words_in(most.stderr), len(server.received)) == (2, words[-2:], received)

    resumed = call("runs", "resume", run, *words, "--max-requests", "2", **variables)
    assert "the limit of 2 requests is reached" in resumed.stderr
    assert server.received[-1].headers["authorization"] == f"Bearer {SECRET}"
    variables = variables and {"MULTINET_STATE": variables["MULTINET_STATE"]}
    assert call("runs", "resume", run, "--max-requests", "none", **variables).exit_code == 0, "it is one's own now"


def test_what_is_given_in_its_place_is_used_and_kept(tmp_path: Path, server: ModelServer, run: Path) -> None:
    change(run, lambda data: data.pop("mac"))
    with closing(ModelServer(lambda request: action_json(0))) as mine:
        words = words_in(call("runs", "resume", run).stderr)
        before = len(server.received)
        kept = words[4:-2]  # neither the address, nor the variable, nor the cache
        again = ["--base-url", mine.openai_url, "-M", "api_key_env=none", *kept, "--cache", tmp_path / "mine"]
        call("runs", "resume", run, *again, "--max-requests", "2")
        finished = call("runs", "resume", run, "--max-requests", "none")
        assert finished.exit_code == 0, finished.stderr
        assert all("authorization" not in each.headers for each in mine.received)
        assert mine.chats
    assert (len(server.received), (tmp_path / "cache").exists()) == (before, False)
    assert f"base_url={mine.openai_url}" in (run / "run.json").read_text(encoding="utf-8")
    assert f"base_url={server.openai_url}" not in (run / "run.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("place", ["run", "link"])
def test_ones_own_run_is_resumed_as_it_is_also_through_a_link(
    tmp_path: Path, server: ModelServer, run: Path, place: str
) -> None:
    (tmp_path / "link").symlink_to(run)
    assert call("runs", "resume", tmp_path / place, "--max-requests", "none").exit_code == 0
    assert (tmp_path / "cache").exists()


def test_a_run_that_names_nothing_outside_is_resumed_by_everybody(tmp_path: Path) -> None:
    tasks, run = write_corridors(tmp_path / "tasks", 3, max_steps=4), tmp_path / "run"
    run_eval("--task-dir", tasks, "-m", "random", "-M", "seed=3", "--tiling", "hex", "--run-dir", run)
    finished = call("runs", "resume", run, "--epochs", "2", MULTINET_STATE=str(tmp_path / "elsewhere"))
    assert finished.exit_code == 0, finished.stderr


READING = [
    ("runs", "show"),
    ("runs", "show", "--episode", "0", "--step", "1"),
    ("runs", "verify"),
    ("runs", "rescore"),
    ("report",),
]


@pytest.mark.parametrize("command", READING)
def test_reading_it_reaches_nothing_outside(
    tmp_path: Path, server: ModelServer, run: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    change(run, lambda data: data.pop("mac"))
    received = len(server.received)
    (tmp_path / "prompt.txt").unlink()
    os.mkfifo(tmp_path / "prompt.txt")  # opening it would wait for ever
    read: list[str] = []
    get = os.environ.get
    monkeypatch.setattr(type(os.environ), "get", lambda self, name, *usual: (read.append(name), get(name, *usual))[1])
    output = ("-o", tmp_path / "page.html") if command == ("report",) else ()
    finished = call(*command, run, *output)
    assert finished.exit_code in (0, 1)
    assert "Traceback" not in finished.stderr
    assert "not consistent" not in finished.stdout.lower()
    assert not VARIABLES.keys() & set(read)
    assert (len(server.received), (tmp_path / "cache").exists()) == (received, False)


@pytest.mark.parametrize(("foreign", "whose"), [(False, "you, on this machine"), (True, "somebody else")])
def test_show_tells_whose_it_is_and_what_it_names(tmp_path: Path, run: Path, foreign: bool, whose: str) -> None:
    if foreign:
        change(run, lambda data: data.pop("mac"))
    told = call("runs", "show", run).stdout
    names = ("base_url=", "api_key_env=SOME_VARIABLE", "headers.X-Other=@OTHER_VARIABLE", "extra_body.user=", "prompt=")
    assert all(each in told for each in (whose, str(tmp_path / "cache"), *names))
    assert SECRET not in told
    assert json.loads(call("runs", "show", run, "--json").stdout)["own"] is not foreign


def test_without_a_writable_state_folder_runs_are_recorded_as_of_nobody(tmp_path: Path, server: ModelServer) -> None:
    tasks, run = write_corridors(tmp_path / "tasks", 3, max_steps=4), tmp_path / "run"
    model = ("-m", "openai", "-M", f"model={server.models[0]}", "--base-url", server.openai_url)
    (tmp_path / "file").touch()
    state = str(tmp_path / "file" / "state")
    run_eval("--task-dir", tasks, *model, "--run-dir", run, "--max-requests", "1", MULTINET_STATE=state)
    assert "mac" not in json.loads((run / "run.json").read_text(encoding="utf-8"))
    refused = multinet("runs", "resume", run, "--max-requests", "none", MULTINET_STATE=state)
    assert (refused.exit_code, words_in(refused.stderr)) == (2, ["--base-url", server.openai_url])
    assert f"{state}/ownership.key: " in refused.stderr


ASKING = {
    "probe": ("--probe", "pose", "--states", "1"),
    "diagnose": (),
}


@pytest.mark.parametrize("command", ASKING)
def test_probings_and_diagnoses_ask_likewise(tmp_path: Path, server: ModelServer, command: str) -> None:
    tasks, record = write_corridors(tmp_path / "tasks", 3, max_steps=4), tmp_path / "record"
    played = (tasks, "-m", "openai", *arguments_of(tmp_path, server), "--run-dir", record, "--max-requests", "1")
    first = call(command, *played, *ASKING[command])
    assert record.is_dir(), first.stderr
    received = len(server.received)
    refused = call(command, "--resume", record, MULTINET_STATE=str(tmp_path / "elsewhere"))
    assert (refused.exit_code, len(server.received)) == (2, received)
    words = words_in(refused.stderr)
    assert words[0] == "--base-url"
    elsewhere = {"MULTINET_STATE": str(tmp_path / "elsewhere")}
    call(command, "--resume", record, *words, "--max-requests", "2", **elsewhere)
    assert len(server.received) > received


def test_experiments_use_what_their_own_file_names(tmp_path: Path, server: ModelServer) -> None:
    write_corridors(tmp_path / "tasks", 3, max_steps=4)
    file, folder = tmp_path / "e.toml", tmp_path / "folder"
    base = f'[base]\nmodel = "openai:{server.models[0]}"\nbase_url = "{server.openai_url}"\nsuite = "tasks"\n'
    file.write_text(f'{base}observation = "text"\n[[condition]]\nname = "one"\n', encoding="utf-8")
    call("experiment", "run", file, "-o", folder, "--max-requests", "1")
    (run,) = (path.parent for path in folder.rglob("run.json"))
    change(run, lambda data: data["settings"]["model_arguments"].append("api_key_env=SOME_VARIABLE"))
    received = len(server.received)
    refused = call("experiment", "run", file, "-o", folder)
    assert (refused.exit_code, len(server.received)) == (2, received)
    assert words_in(refused.stderr) == ["-M", "api_key_env=SOME_VARIABLE"]
    assert f"add it to {file}" in refused.stderr
    change(run, lambda data: data["settings"]["model_arguments"].pop())
    assert call("experiment", "run", file, "-o", folder).exit_code == 0
    assert all("authorization" not in each.headers for each in server.received)


THIRD = """
from pathlib import Path
from typing import Literal

from gridworld.hookspecs import BackendInfo, ModelInfo
from gridworld.model_interface import RandomModelInterface
from gridworld_minigrid import MiniGridBackend


class Third(RandomModelInterface):
    def __init__(
        self, plain: str = "", declared: str = "", path: Path | None = None, unknown=None, number: int = 0,
        switch: bool | str = False, word: Literal["one", "two"] | str = "one",
    ) -> None:
        super().__init__(seed=1)


class Backend(MiniGridBackend):
    def __init__(self, plain: str = "", declared: str = "", tile_size: int = 32) -> None:
        super().__init__()


THIRD = ModelInfo("third", "Third.", f"{__name__}:Third", harmless=("declared",))
THEIRS = BackendInfo("theirs", "Theirs.", f"{__name__}:Backend", harmless=("declared",))
"""
"""A plugin whose authors have declared one argument."""


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "theirs_in_a_file.py"
    file.write_text(THIRD, encoding="utf-8")
    yield file
    sys.modules.pop(file.stem, None)


def test_an_argument_of_a_plugin_is_given_again_unless_it_is_declared_or_no_free_text(
    tmp_path: Path, plugin: Path
) -> None:
    tasks, run = write_corridors(tmp_path / "tasks", 3, max_steps=4), tmp_path / "run"
    free = ["plain=x", f"path={plugin}", "unknown=x", "switch=perhaps", "word=three"]
    model = [*free, "declared=x", "number=4"]
    options = [word for each in model for word in ("-M", each)]
    backend = ("--backend", "theirs", "-B", "plain=x", "-B", "declared=y", "-B", "tile_size=16")
    played = run_eval("--task-dir", tasks, "--plugin", plugin, "-m", "third", *options, *backend, "--run-dir", run)
    assert played.exit_code == 0, played.stderr
    elsewhere = {"MULTINET_STATE": str(tmp_path / "elsewhere")}
    refused = multinet("runs", "resume", run, "--plugin", plugin, "--epochs", "2", **elsewhere)
    words = words_in(refused.stderr)
    assert words == [*(word for each in free for word in ("-M", each)), "-B", "plain=x"]
    assert multinet("runs", "rescore", run, "--plugin", plugin, "--metric", "regret_total", **elsewhere).exit_code == 2
    assert "not checked" in multinet("runs", "verify", run, "--plugin", plugin, **elsewhere).stdout
    resumed = multinet("runs", "resume", run, "--plugin", plugin, "--epochs", "2", *words, **elsewhere)
    assert resumed.exit_code == 0, resumed.stderr


def test_examples_of_a_folder_are_given_again(tmp_path: Path) -> None:
    tasks, run = write_corridors(tmp_path / "tasks", 3, max_steps=4), tmp_path / "run"
    examples = write_corridors(tmp_path / "examples", 5, 6)
    options = ("--examples", "1", "--examples-from", examples, "--observation", "text")
    played = run_eval("--task-dir", tasks, "-m", "random", *options, "--run-dir", run)
    assert played.exit_code == 0, played.stderr
    elsewhere = {"MULTINET_STATE": str(tmp_path / "elsewhere")}
    refused = multinet("runs", "resume", run, "--epochs", "2", **elsewhere)
    assert (refused.exit_code, words_in(refused.stderr)) == (2, ["--examples-from", str(examples)])
    assert multinet("runs", "resume", run, "--epochs", "2", *words_in(refused.stderr), **elsewhere).exit_code == 0
