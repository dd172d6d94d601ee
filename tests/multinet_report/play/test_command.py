"""``multinet play``: calls that are wrong, and the whole program from its start to Ctrl-C."""

import signal
import sys
from pathlib import Path

import pytest

from multinet_eval.record.manifest import RunOptions
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import RunDirectory
from support.commands import invoke
from support.players import TIMEOUT, PagePlayer, begin_game, program
from support.runs import being_played, record_run
from support.worlds import draw


def test_without_its_server_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cheroot", None)
    result = invoke(["play", "--no-open"])
    assert result.exit_code == 2
    assert "pip install 'multinet-report[play]'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["no_such_suite"], "no_such_suite"),
        (["--as", "a/b"], "name: expected at most 64 letters"),
        (["--consent", "no_such_file"], "cannot read the consent text in no_such_file"),
        (["--tiling", "hexagon"], "hexagon"),
        (["--practice", "99"], "worked_examples"),
        (["--memory", "notes"], "replies with a single action"),
        (["--resume", "no_such_run"], "no_such_run"),
        (["--resume", "RUN", "--tiling", "hex"], "leave out --tiling"),
        (["--resume", "RUN"], "multinet runs resume"),
    ],
)
def test_a_call_that_is_wrong_is_refused_and_nothing_recorded(arguments: list[str], told: str, tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", [draw("####\n#@G#\n####", max_steps=2)], "L").path
    given = [str(run) if each == "RUN" else each for each in arguments]
    result = invoke(["play", *given, "--no-open"], MULTINET_NO_RECORD="", MULTINET_RUNS=str(tmp_path / "runs"))
    assert result.exit_code == 2, result.output
    assert told in " ".join(result.stderr.split())
    assert not (tmp_path / "runs").exists()


def test_a_run_that_another_process_plays_is_refused_and_its_page_no_longer_served(tmp_path: Path) -> None:
    game = begin_game([draw("####\n#@G#\n####", max_steps=2)], tmp_path / "run")
    page = PagePlayer(game.person.address)
    with being_played(tmp_path / "run"), pytest.raises(RunError, match="is being played by process"):
        game.run.play(RunOptions(), game)
    with pytest.raises(ConnectionRefusedError):
        page.view()


def test_the_program_tells_its_address_and_ctrl_c_ends_it_with_what_was_done(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with program("validation_10", "--run-dir", run, "--practice", "1", "--explain", "none") as (address, started):
        page = PagePlayer(address)
        assert page.read_on()["heading"] == "Practice 1 of 1"
        page.answer("give up")
        assert page.read_on()["heading"] == "Maze 1 of 10"
        page.play([0, 1])
        started.send_signal(signal.SIGINT)
        assert page.view()["final"]
        assert started.wait(TIMEOUT) == 130
    (number, _), *others = RunDirectory(run).episodes()
    assert (number, others) == (0, [])
    name = RunDirectory(run).manifest.model_name
    assert name.startswith("human/")
    with program("--resume", run) as (address, started):
        page = PagePlayer(address)
        view = page.read_on()
        assert (view["heading"], view["step"]) == ("Maze 1 of 10", 2)
        page.answer("stop")
        assert page.view()["final"]
    assert started.returncode == 130
