"""Worker processes."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gridworld.errors import PluginFault, UnknownNameError
from gridworld.plugins import load_registry, using_registry
from multinet_eval.support.worker_processes import SPAWN, chosen_plugins, portable, shielded
from support.programs import environment, run
from support.runs import write_corridor

BUSY = """
import time
from multinet_eval.support.worker_processes import SPAWN, PluginChoice, begin_worker, shielded

def work():
    begin_worker(PluginChoice((), ()), grace=0.1)
    print("busy", flush=True)
    time.sleep(600)

if __name__ == "__main__":
    process = SPAWN.Process(target=work)
    with shielded():
        process.start()
    process.join()
"""
PIPED = """
from multinet_eval.support.parallel import parallel_map
if __name__ == "__main__":
    with parallel_map(abs, [-1, -2], 2) as results:
        print(list(results))
"""


class Unsendable(Exception):
    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} {other}")


def blocked() -> set[int]:
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, ()))


def test_shielded_processes_start_without_sigint() -> None:
    before = blocked()
    with shielded():
        process = SPAWN.Process(target=signal.raise_signal, args=(signal.SIGINT,))
        process.start()
    process.join()
    assert process.exitcode == 0
    assert blocked() == before


def test_sigint_in_a_shield_is_delivered_afterwards() -> None:
    reached = []
    with pytest.raises(KeyboardInterrupt), shielded():
        reached.append(signal.raise_signal(signal.SIGINT))
    assert reached == [None]


def test_a_busy_worker_ends_when_its_program_is_killed(tmp_path: Path) -> None:
    """It holds standard output open for as long as it lives."""
    script = tmp_path / "busy.py"
    script.write_text(BUSY, encoding="utf-8")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "busy\n"
        process.kill()
        assert process.communicate(timeout=60)[0] == ""


@pytest.fixture
def two_tasks(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        write_corridor(tmp_path / "tasks", name)
    return tmp_path / "tasks"


@pytest.mark.more
@pytest.mark.parametrize("name", ["random", "attrs"])
def test_files_in_the_working_folder_are_not_imported(name: str, two_tasks: Path, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text("raise RuntimeError('somebody imports this')", encoding="utf-8")
    finished = run("multinet", "tasks", "list", two_tasks, "--workers", "2", cwd=tmp_path)
    assert (finished.returncode, finished.stderr) == (0, "")


def test_a_piped_program_is_refused() -> None:
    finished = subprocess.run(
        [sys.executable, "-"], input=PIPED, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert (finished.returncode, finished.stdout) == (1, "")
    assert "GridworldError: worker processes import the program's main module, and " in finished.stderr
    assert "<stdin> is not a file: write the program to one" in finished.stderr


def test_disabled_plugins_have_qualified_names() -> None:
    with using_registry(load_registry(["gridworld-minigrid"])):
        assert chosen_plugins().disabled == ("gridworld-minigrid/minigrid",)
    with using_registry(load_registry()):
        assert chosen_plugins() == ((), ())


def test_unpicklable_errors_become_plugin_faults() -> None:
    error = UnknownNameError("tiling", "hexx", ["hex"])
    assert portable(error) is error
    sent = portable(Unsendable("two", "words"))
    assert isinstance(sent, PluginFault)
    assert str(sent) == "Unsendable in a worker: two words"
