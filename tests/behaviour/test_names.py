"""Names of the toolkit stay its own, and a qualified name is recorded as the plain one."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gridworld.plugins import load_registry, using_registry
from gridworld.task_spec import TaskSpecification
from support.commands import multinet, run_eval
from support.plugins import write_distribution
from support.thoroughness import first_by_default

PLUGIN = """
import attrs
from gridworld.hookspecs import BackendInfo, BenchmarkInfo, Glyph, GoalType, MechanismType, ModelInfo, TilingInfo
from gridworld.hookspecs import Position, Trait, hookimpl, to_position


@attrs.frozen
class Tuft:
    id: str
    position: Position = attrs.field(converter=to_position)


KEYS = MechanismType(
    name="keys", noun="tuft", summary="Grass.", spec=Tuft, values=("green", "brown"),
    traits=lambda spec, value: Trait.NONE, glyph=lambda spec, value: Glyph(()), version="3",
)
REACH = GoalType(
    name="reach_position", summary="Wait.", reached=lambda world: lambda state: state.steps >= 2,
    mission=lambda world: "wait", validate=lambda task, entries: (), version="7", timed=True,
)


@hookimpl
def gridworld_mechanisms():
    return [KEYS]


@hookimpl
def gridworld_goals():
    return [REACH]


@hookimpl
def gridworld_models():
    return [ModelInfo("random", "Not the one.", "gridworld.model_interface:RandomModelInterface")]


@hookimpl
def gridworld_backends():
    return [BackendInfo("minigrid", "Not the one.", "nowhere:Backend")]


@hookimpl
def gridworld_tilings():
    return [TilingInfo("hex", "Not the one.", "nowhere:topology")]


@hookimpl
def gridworld_benchmarks():
    return [BenchmarkInfo("validation_10", "Not the one.", "nowhere", "tasks")]
"""

QUALIFIED_TASK: dict[str, Any] = {
    "task_id": "qualified",
    "seed": 1,
    "difficulty_tier": 1,
    "maze": {"dimensions": [6, 3], "walls": [], "start": [1, 1], "goal": [4, 1]},
    "mechanisms": {
        "gridworld-core/keys": [{"id": "k", "position": [2, 1], "color": "blue"}],
        "Gridworld.Core/doors": [{"id": "d", "position": [3, 1], "requires_key": "blue", "initial_state": "locked"}],
    },
    "goal": {"type": "gridworld-core/reach_position", "target": [4, 1]},
    "max_steps": 30,
}
GRASS_TASK: dict[str, Any] = {
    **QUALIFIED_TASK,
    "task_id": "grass",
    "mechanisms": {
        "keys": [{"id": "k", "position": [2, 1], "color": "blue"}],
        "usurper/keys": [{"id": "tuft", "position": [3, 1]}],
    },
    "goal": {"type": "usurper/reach_position"},
}


@pytest.fixture
def _usurper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "usurper"
    write_distribution(folder, "usurper", "1.0", {"plugin": "usurping_names"}, {"usurping_names.py": PLUGIN})
    monkeypatch.syspath_prepend(folder)
    with using_registry(load_registry()):
        yield


def written(folder: Path, *tasks: Mapping[str, Any]) -> Path:
    folder.mkdir()
    for task in tasks:
        (folder / f"{task['task_id']}.json").write_text(json.dumps(task))
    return folder


def manifest_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return found


def test_a_task_with_qualified_names_is_read_and_upgraded_as_the_task_with_plain_ones(tmp_path: Path) -> None:
    file = written(tmp_path / "tasks", QUALIFIED_TASK) / "qualified.json"

    assert multinet("tasks", "validate", file).exit_code == 0
    assert multinet("tasks", "upgrade", file).exit_code == 0

    task = TaskSpecification.from_dict(QUALIFIED_TASK)
    assert [key.id for key in task.mechanisms.keys] == ["k"]
    for data in (task.to_dict(), json.loads(file.read_text())):
        assert set(data["mechanisms"]) == {"doors", "keys"}
        assert data["goal"]["type"] == "reach_position"


def test_a_task_that_lists_a_mechanism_under_two_of_its_names_is_refused_at_its_place(tmp_path: Path) -> None:
    twice = {**QUALIFIED_TASK["mechanisms"], "keys": [{"id": "k2", "position": [1, 1], "color": "blue"}]}
    folder = written(tmp_path / "tasks", {**QUALIFIED_TASK, "mechanisms": twice})

    checked = multinet("tasks", "validate", folder)

    assert checked.exit_code == 1
    assert (
        "mechanisms.gridworld-core/keys: is the same as 'keys': list them together" in checked.stdout + checked.stderr
    )


def test_a_run_by_qualified_names_is_recorded_under_the_plain_ones(tmp_path: Path) -> None:
    options = ["--backend", "gridworld-multigrid/multigrid", "--tiling", "gridworld-multigrid/hex"]
    options += ["--protocol", "multinet-eval/step", "--observation", "image+gridworld-core/map", "--json"]

    run = run_eval(
        "--benchmark", "multinet-eval/validation_10", "--model", "gridworld-core/random",
        *options, "--run-dir", tmp_path / "runs",
    )  # fmt: skip

    assert run.exit_code == 0, run.stderr
    manifest = manifest_of(tmp_path / "runs")
    assert manifest["suite"] == "validation_10"
    settings = manifest["settings"]
    assert (settings["model"], settings["backend"], settings["tilings"]) == ("random", "multigrid", ["hex"])
    assert (settings["protocol"], settings["presentation"]["observation"]) == ("step", "image+map")
    assert manifest["fingerprint"]["model"]["name"] == "random"


@pytest.mark.usefixtures("_usurper")
def test_a_plugin_that_takes_built_in_names_changes_nothing_for_bundled_suites(tmp_path: Path) -> None:
    run = run_eval(
        "--benchmark", "validation_10", "--model", "random", "--backend", "minigrid", "--json",
        "--run-dir", tmp_path / "runs",
    )  # fmt: skip

    assert run.exit_code == 0, run.stderr
    manifest = manifest_of(tmp_path / "runs")
    listed = json.loads(multinet("plugins", "list", "--json").stdout)["plugins"]
    assert [each["status"] for each in listed if each["distribution"] == "usurper"] == ["loaded"]
    assert "usurper" not in manifest["circumstances"]["versions"]
    assert "types" not in manifest["fingerprint"]


@pytest.mark.usefixtures("_usurper")
def test_the_list_of_plugins_tells_what_was_renamed_and_why() -> None:
    told, listed = multinet("plugins", "list"), json.loads(multinet("plugins", "list", "--json").stdout)

    assert listed["conflicts"] == []
    (plugin,) = [each for each in listed["plugins"] if each["distribution"] == "usurper"]
    assert {"kind": "model", "name": "random"} in plugin["provides"]
    assert {"kind": "mechanism", "name": "keys", "listed_as": "usurper/keys"} in listed["renamed"]
    assert (
        "renamed: model 'random' of usurper is listed as usurper/random, since gridworld-core has a model"
        in told.stdout
    )


@pytest.mark.usefixtures("_usurper")
@first_by_default("backend", ["minigrid", "multigrid"])
def test_a_type_that_takes_a_built_in_name_plays_beside_the_built_in_one(tmp_path: Path, backend: str) -> None:
    folder = written(tmp_path / "tasks", GRASS_TASK)

    run = run_eval(
        "--benchmark", "directory", "--task-dir", folder, "--model", "usurper/random", "--backend", backend, "--json",
        "--run-dir", tmp_path / "runs", "--workers", "2", "--executor", "processes",
    )  # fmt: skip

    assert run.exit_code == 0, run.stderr
    assert json.loads(run.stdout)["num_success"] == 1
    manifest = manifest_of(tmp_path / "runs")
    assert manifest["settings"]["model"] == "usurper/random"
    assert manifest["fingerprint"]["types"] == {"goal usurper/reach_position": "7", "mechanism usurper/keys": "3"}
    assert multinet("runs", "verify", tmp_path / "runs").exit_code == 0


@pytest.mark.usefixtures("_usurper")
def test_the_state_of_a_type_that_takes_a_built_in_name_is_told_under_its_qualified_name() -> None:
    from gridworld_minigrid import MiniGridBackend

    backend = MiniGridBackend()
    backend.configure(TaskSpecification.from_dict(GRASS_TASK))
    _, state, _ = backend.reset(seed=1)
    backend.close()

    assert state.mechanism_states == {"usurper/keys": {"tuft": "green"}}


def test_a_misspelt_name_in_the_variable_that_disables_plugins_is_warned_of() -> None:
    listed = multinet("plugins", "list", GRIDWORLD_DISABLE_PLUGINS="multinet-reprot")

    assert listed.exit_code == 0
    assert "GRIDWORLD_DISABLE_PLUGINS: unknown plugin 'multinet-reprot'" in listed.stderr
    assert "did you mean 'multinet-report'?" in listed.stderr
    assert listed.stderr.count("warning: ") == 1


@pytest.mark.usefixtures("_usurper")
def test_a_certificate_names_the_versions_of_types_that_state_one(tmp_path: Path) -> None:
    certificates, room = {}, "#####\n#>..#\n#..G#\n#####\n"
    for name, line in (("plain", ""), ("waiting", "goal: usurper/reach_position\n")):
        drawing = tmp_path / f"{name}.txt"
        drawing.write_text(f"task: {name}\nbudget: 9\n{line}\n{room}")
        done = multinet("tasks", "import", "ascii", drawing, "-o", tmp_path / name, "--tilings", "square")
        assert done.exit_code == 0, done
        certificates[name] = json.loads((tmp_path / name / f"{name}.json").read_text())["metadata"]["certificate"]

    assert "types" not in certificates["plain"]
    assert certificates["waiting"]["types"] == {"goal usurper/reach_position": "7"}
    file = tmp_path / "waiting" / "waiting.json"
    file.write_text(
        file.read_text().replace('"goal usurper/reach_position": "7"', '"goal usurper/reach_position": "6"')
    )
    verified = multinet("tasks", "verify", file)
    assert verified.exit_code == 0, verified
    told = " ".join((verified.stdout + verified.stderr).split())
    assert "goal usurper/reach_position was certified in version 6 and verified in version 7" in told
