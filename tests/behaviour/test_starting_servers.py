"""Servers that are still starting: `--wait-for-server` waits for them, and without it commands end at once."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from multinet_adapters.testing.model_servers import refused_address
from multinet_eval.play import readiness
from support.commands import Finished, multinet, run
from support.model_servers import ChatServer, failed, model_arguments, said
from support.programs import start
from support.runs import write_corridor
from support.thoroughness import first_by_default

ADVICE = "give a server that is still starting more time with --wait-for-server SECONDS"
WAITING = ("--wait-for-server", "60")
MORE_TIME = "give the session more time with --max-time SECONDS, or --max-time none"
LOADING = "the server says (HTTP 503): Loading model"


def answers(loading: int = 0, port: int = 0) -> ChatServer:
    """A server of which every question is answered, in the end."""
    return ChatServer(lambda body, number: said("move_forward", answer="A"), loading=loading, port=port)


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    folder = tmp_path / "corridors"
    write_corridor(folder, "short", "@.G")
    return folder


@pytest.mark.more
def test_a_server_that_starts_while_it_is_waited_for_is_played_with(tasks: Path, tmp_path: Path) -> None:
    port = urlsplit(refused_address()).port
    assert port is not None
    played = model_arguments(f"http://127.0.0.1:{port}/v1")
    place = ("--task-dir", tasks, "--run-dir", tmp_path / "run", *WAITING)
    process = start("multinet-run-eval", *played, *place)
    assert process.stderr is not None
    first = process.stderr.readline()
    assert first.startswith("waiting up to 60 s for model 'openai/scripted': no connection to http://127.0.0.1:")
    with answers(loading=2, port=port) as server:
        printed, told = process.communicate(timeout=60)
        assert len(server.bodies) == 2
    assert process.returncode == 0, told
    assert told.splitlines()[0].endswith(f"for model 'openai/scripted': {LOADING}")
    assert told.splitlines()[1].startswith("model 'openai/scripted' is ready after ")
    assert "short" in printed


def test_a_server_that_does_not_come_is_given_up_after_that_time(tasks: Path, tmp_path: Path) -> None:
    played = model_arguments(f"{refused_address()}/v1")
    place = ("--task-dir", tasks, "--run-dir", tmp_path / "run", "--wait-for-server", "0.5")
    finished = run("multinet-run-eval", *played, *place)
    assert finished.returncode == 1
    waiting, error = finished.stderr.splitlines()
    assert waiting.startswith("waiting up to ")
    assert error.startswith("error: model 'openai/scripted' is not ready (after 0.5 s of waiting): no connection to ")
    assert error.endswith(ADVICE)
    assert not (tmp_path / "run").exists()


@pytest.mark.more
def test_what_waiting_cannot_help_is_not_waited_for(tasks: Path) -> None:
    with answers() as server:
        server.models = failed(401, "a key is needed")
        finished = run("multinet-run-eval", *model_arguments(server.url), "--task-dir", tasks, *WAITING)
    assert finished.returncode == 1
    assert "HTTP 401" in finished.stderr
    assert "waiting" not in finished.stderr
    assert "--wait-for-server" not in finished.stderr


def test_ctrl_c_ends_the_wait(tasks: Path, tmp_path: Path) -> None:
    played = model_arguments(f"{refused_address()}/v1")
    place = ("--task-dir", tasks, "--run-dir", tmp_path / "run", "--wait-for-server", "600")
    process = start("multinet-run-eval", *played, *place)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("waiting up to 600 s")
    os.kill(process.pid, signal.SIGINT)
    assert process.communicate(timeout=60) == ("", "interrupted\n")
    assert process.returncode == 130
    assert not (tmp_path / "run").exists()


def call(
    command: str, server: ChatServer, tasks: Path, folder: Path, *options: str, address: str | None = None
) -> Finished:
    """Call a command that asks a model, perhaps at another address; what it needs before is made by a ready server."""
    record, played = folder / "record", model_arguments(address or server.url)
    if command == "experiment run":
        file, base = folder / "study.toml", f'model = "openai"\nsuite = "{tasks}"\n'
        arguments = f'model_arguments = {{ model = "scripted", base_url = "{address or server.url}" }}\n'
        file.write_text(f'[base]\n{base}{arguments}[[condition]]\nname = "only"\n')
        return multinet("experiment", "run", file, "-o", record, *options)
    if command in ("probe", "diagnose"):
        return multinet(command, tasks, *played, "--run-dir", record, *options)
    if not record.exists():
        loading, server.loading = server.loading, 0
        begun = model_arguments(server.url)
        left = multinet("eval", "--task-dir", tasks, *begun, "--run-dir", record, "--max-requests", "1")
        assert left.exit_code == 1, left.stderr
        server.loading = loading
    place = ("--base-url", address) if address else ()
    return multinet("runs", "resume", record, "--max-requests", "none", *place, *options)


@first_by_default("command", ["runs resume", "probe", "diagnose", "experiment run"])
def test_every_command_that_asks_a_model_waits(command: str, tasks: Path, tmp_path: Path) -> None:
    with answers(loading=1) as server:
        refused = call(command, server, tasks, tmp_path)
        assert refused.exit_code == 1
        assert f"{LOADING}; {ADVICE}" in refused.stderr
        asked = len(server.bodies)
        server.loading = 1
        waited = call(command, server, tasks, tmp_path, *WAITING)
        assert len(server.bodies) > asked
    assert f"waiting up to 60 s for model 'openai/scripted': {LOADING}" in waited.stderr
    assert "is not ready" not in waited.stderr


@pytest.mark.more
def test_an_experiment_waits_only_once_for_a_server_that_does_not_come(tasks: Path, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    arguments = f'model_arguments = {{ model = "scripted", base_url = "{refused_address()}/v1" }}\n'
    conditions = "".join(f'[[condition]]\nname = "{name}"\nseed = {seed}\n' for seed, name in enumerate("abc"))
    file.write_text(f'[base]\nmodel = "openai"\nsuite = "{tasks}"\n{arguments}{conditions}')
    played = multinet("experiment", "run", file, "-o", tmp_path / "record", "--wait-for-server", "0.5")
    assert played.exit_code == 1
    assert played.stderr.count("waiting up to ") == 1
    assert played.stderr.count("is not ready") == 3


# --- servers that accept the connection and do not answer ----------------------------------------------------------


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server that never answers; the commands of this test give an attempt a tenth of a second."""
    monkeypatch.setattr(readiness, "POLL_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"


@pytest.mark.parametrize(
    ("options", "seconds", "advice"),
    [
        (("--max-time", "0.3"), "0.3", MORE_TIME),
        (("--wait-for-server", "0.3"), "0.3", ADVICE),
        (("--max-time", "0.3", "--wait-for-server", "60"), "0.3", MORE_TIME),
        (("--max-time", "60", "--wait-for-server", "0.3"), "0.3", ADVICE),
    ],
)
def test_the_shorter_limit_ends_the_check_of_a_server_that_does_not_answer(
    silent: str, tasks: Path, tmp_path: Path, options: tuple[str, ...], seconds: str, advice: str
) -> None:
    """Without a limit the check takes two minutes."""
    folder = tmp_path / "run"
    finished = multinet("eval", "--task-dir", tasks, *model_arguments(silent), "--run-dir", folder, *options)
    assert finished.exit_code == 1
    told = f"error: model 'openai/scripted' is not ready (after {seconds} s of waiting): no answer within "
    assert finished.stderr.startswith(told)
    assert finished.stderr.endswith(f" from {silent}; {advice}\n")
    assert not folder.exists()


def test_a_server_that_refuses_the_connection_is_waited_for_no_longer_than_the_session(
    tasks: Path, tmp_path: Path
) -> None:
    played = model_arguments(f"{refused_address()}/v1")
    finished = multinet("eval", "--task-dir", tasks, *played, "--max-time", "0.3", "--wait-for-server", "600")
    waiting, error = finished.stderr.splitlines()
    assert waiting.startswith("waiting up to 0 s for model 'openai/scripted': no connection to ")
    assert error.startswith("error: model 'openai/scripted' is not ready (after 0.3 s of waiting): no connection to ")
    assert error.endswith(MORE_TIME)


@first_by_default("command", ["runs resume", "probe", "diagnose", "experiment run"])
@pytest.mark.parametrize("option", ["--max-time", "--wait-for-server"])
def test_every_command_ends_the_check_in_time(
    command: str, option: str, silent: str, tasks: Path, tmp_path: Path
) -> None:
    with answers() as server:
        finished = call(command, server, tasks, tmp_path, option, "0.3", address=silent)
    assert finished.exit_code == 1
    assert f"from {silent}; {MORE_TIME if option == '--max-time' else ADVICE}" in finished.stderr


def test_the_conditions_of_an_experiment_share_the_time_of_a_server_that_does_not_answer(
    silent: str, tasks: Path, tmp_path: Path
) -> None:
    file = tmp_path / "study.toml"
    arguments = f'model_arguments = {{ model = "scripted", base_url = "{silent}" }}\n'
    conditions = "".join(f'[[condition]]\nname = "{name}"\nseed = {seed}\n' for seed, name in enumerate("abc"))
    file.write_text(f'[base]\nmodel = "openai"\nsuite = "{tasks}"\n{arguments}{conditions}')
    played = multinet("experiment", "run", file, "-o", tmp_path / "record", "--wait-for-server", "0.3")
    assert (played.exit_code, played.stderr.count(ADVICE)) == (1, 3)
