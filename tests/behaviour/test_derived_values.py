"""What follows from the steps of a run is computed once, kept beside it, and believed only where this user wrote it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from multinet_eval.record import lines
from support.commands import multinet
from support.runs import record_run
from support.worlds import corridor

READING: dict[str, tuple[str, ...]] = {
    "show": ("runs", "show", "RUN", "--json"),
    "rescore": ("runs", "rescore", "RUN", "--json", "--all"),
    "export": ("runs", "export", "RUN", "--format", "csv", "-o", "OUT"),
    "report": ("report", "RUN", "-o", "OUT"),
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tasks = [corridor("@.G"), corridor("@...G")]
    return record_run(tmp_path_factory.mktemp("recorded") / "run", tasks, "FF").path


@pytest.fixture
def run(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "run"))


def told(run: Path, command: str, *more: str) -> str:
    """What a command prints, and what it writes."""
    output = run.with_name("output")
    output.unlink(missing_ok=True)
    places = {"RUN": run, "OUT": output}
    finished = multinet(*(places.get(word, word) for word in READING[command]), *more)
    assert finished.exit_code == 0, finished.stderr
    return finished.stdout + (output.read_text() if output.exists() else "")


def derived(run: Path) -> list[Path]:
    return sorted(run.glob("derived.*"))


@pytest.fixture
def no_steps_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("a line of an episode was read")

    monkeypatch.setattr(lines, "recorded_lines", refuse)
    monkeypatch.setattr("multinet_eval.record.run_directory.recorded_lines", refuse)


@pytest.mark.parametrize("command", READING)
def test_a_command_reads_no_steps_again_and_says_the_same(
    command: str, run: Path, request: pytest.FixtureRequest
) -> None:
    first = told(run, command)
    assert derived(run)
    request.getfixturevalue("no_steps_are_read")
    assert told(run, command) == first


@pytest.mark.parametrize("command", READING)
def test_what_is_derived_elsewhere_is_not_believed(
    command: str, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = told(run, command)
    for file in derived(run):
        content = file.read_text()
        assert content.count("true") + content.count("goal") + content.count("1") > 0
        file.write_text(content.replace("true", "false").replace("goal", "budget").replace("1", "2"))
    assert told(run, command) == first, "changed"
    copy = Path(shutil.copytree(run, tmp_path / "copy" / "run"))
    with monkeypatch.context() as patched:
        patched.setenv("MULTINET_STATE", str(tmp_path / "another"))
        told(copy, command)
    for file in derived(copy):
        shutil.copy(file, run)
    foreign = {file.name: file.read_bytes() for file in derived(run)}
    assert told(run, command) == first, "written by somebody else"
    assert all(file.read_bytes() != foreign[file.name] for file in derived(run)), "replaced"


def test_a_changed_episode_is_read_again(run: Path) -> None:
    file = run / "episodes" / "0.jsonl"
    assert json.loads(told(run, "show"))["results"]["task_results"][0]["success"]
    file.write_text(file.read_text().replace('"reason":"goal"', '"reason":"budget"'))
    assert not json.loads(told(run, "show"))["results"]["task_results"][0]["success"]


def lose_texts(run: Path) -> None:
    shutil.rmtree(run / "texts")


def lose_a_task(run: Path) -> None:
    next((run / "tasks").glob("*.json")).write_text("{}")


@pytest.mark.parametrize("lose", [lose_texts, lose_a_task])
def test_a_page_tells_what_has_been_lost_since_it_was_kept(lose: Callable[[Path], None], run: Path) -> None:
    told(run, "report")
    lose(run)
    kept = multinet("report", run, "-o", run.with_name("kept"))
    for file in derived(run):
        file.unlink()
    fresh = multinet("report", run, "-o", run.with_name("fresh"))
    assert kept.exit_code == fresh.exit_code == 1
    assert run.with_name("kept").read_bytes() == run.with_name("fresh").read_bytes()


@pytest.mark.parametrize("content", [b"", b"0" * 64 + b"\n{}\n", b"\xff" * 100, b"[" * 100_000])
def test_a_damaged_file_counts_as_missing(run: Path, content: bytes) -> None:
    first = told(run, "show")
    files = derived(run)
    assert [file.name for file in files] == ["derived.episodes.jsonl", "derived.mistakes.jsonl"]
    for file in files:
        file.write_bytes(content)
    assert told(run, "show") == first
    assert content not in [file.read_bytes() for file in files]


def test_a_link_is_refused_and_not_followed(run: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("untouched")
    (run / "derived.episodes.jsonl").symlink_to(outside)
    assert multinet("runs", "show", run).exit_code == 1
    assert outside.read_text() == "untouched"


def test_nothing_is_kept_without_a_key(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MULTINET_STATE", "")
    told(run, "show")
    assert derived(run) == []


def test_unfinished_episodes_are_not_kept(run: Path) -> None:
    file = run / "episodes" / "1.jsonl"
    *whole, end = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(whole))
    finished = multinet("runs", "show", run, "--json")
    assert [each["state"] for each in json.loads(finished.stdout)["episodes"]] == ["finished", "unfinished"]
    for kept in derived(run):
        assert len(kept.read_text().splitlines()) == 2, "the code, and the finished episode"
    file.write_bytes(b"".join([*whole, end]))
    finished = multinet("runs", "show", run, "--json")
    assert [each["state"] for each in json.loads(finished.stdout)["episodes"]] == ["finished", "finished"]


def test_verifying_reads_nothing_that_is_derived(run: Path) -> None:
    for name in ("episodes", "metrics", "page"):
        (run / f"derived.{name}.jsonl").mkdir()
    assert multinet("runs", "verify", run).exit_code == 0


PLUGIN = """
from gridworld.hookspecs import MetricInfo, hookimpl
from multinet_eval import MEAN, metric


class Precise(float):
    pass


def times(factor):
    @metric(MEAN)
    def steps(episode):
        \"\"\"A multiple of the steps.\"\"\"
        return Precise(factor * episode.result.steps_taken)

    return steps


once, twice = times(1), times(2)


@hookimpl
def gridworld_metrics():
    return [MetricInfo(name, "From a factory.", f"{__name__}:{name}") for name in ("once", "twice")]
"""


def metrics_of(run: Path, plugin: Path) -> dict[str, float]:
    words = ("runs", "rescore", run, "--metric", "once", "--metric", "twice", "--json", "--plugin", plugin)
    finished = multinet(*words)
    assert finished.exit_code == 0, finished.stderr
    return {row["metric"]: row["value"] for row in json.loads(finished.stdout)["runs"]}


def test_metrics_of_one_function_are_kept_apart_until_their_plugin_changes(run: Path, tmp_path: Path) -> None:
    plugin = tmp_path / "steps_plugin.py"
    plugin.write_text(PLUGIN)
    first = metrics_of(run, plugin)
    assert first["twice"] == 2 * first["once"] > 0
    assert metrics_of(run, plugin) == first
    plugin.write_text(PLUGIN.replace("times(2)", "times(30)"))  # not of the same length, which bytecode may be told by
    assert metrics_of(run, plugin)["twice"] == 30 * first["once"]


MANY = 70
"""Number of episodes for which several workers are started."""


@pytest.mark.more
@pytest.mark.parametrize("command", ["rescore", "export", "report", "verify"])
def test_workers_change_nothing(command: str, tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", [corridor("@.G"), corridor("@...G")], "FF", epochs=MANY // 2).path
    printed = []
    for workers in ("1", "2"):
        for file in derived(run):
            file.unlink()
        if command == "verify":
            printed.append(multinet("runs", "verify", run, "--json", "--workers", workers).stdout)
        else:
            printed.append(told(run, command, "--workers", workers))
    assert printed[0] == printed[1] != ""
