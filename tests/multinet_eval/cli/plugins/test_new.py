"""``multinet plugins new``: distributions that are complete, small, and sound as they are."""

import ast
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.plugins import get_registry
from gridworld.suites import benchmark_place
from multinet_eval.scaffolds import SCAFFOLDS, Names
from support.plugins import write_distribution
from support.programs import Finished, assert_refused, json_of, output_of, run
from support.sources import imported_names
from support.thoroughness import in_turn

PROVIDED = {kind: (scaffold.provides, Names.of(scaffold, f"my-{kind}").name) for kind, scaffold in SCAFFOLDS.items()}
"""Kind of distribution to the kind and name of what it provides."""
LIVE = ("model", "observer")
"""Kinds that are not used without ``--live``."""
MOST_LINES = {
    "adapter": 25,
    "mechanism": 40,
    "goal": 25,
    "tiling": 25,
    "backend": 40,
    "benchmark": 15,
    "observation": 25,
    "observer": 20,
    "metric": 15,
    "protocol": 20,
    "generator": 30,
    "importer": 35,
    "probe": 20,
}
"""Kind to the lines that an author has to write at most."""

on_every_kind = pytest.mark.parametrize("kind", SCAFFOLDS)


def on_some_kinds(*quick: str) -> pytest.MarkDecorator:
    """Run a test on these kinds, and on the others in thorough runs; `nox -s packaging` tests the wheels of all."""
    return pytest.mark.parametrize(
        "kind", [pytest.param(kind, marks=() if kind in quick else pytest.mark.thorough) for kind in SCAFFOLDS]
    )


@attrs.frozen
class Scaffold:
    """A distribution as it was written, and what has to be on the path so that it is installed."""

    kind: str
    folder: Path
    said: Finished
    path: list[Path]

    @property
    def project(self) -> dict[str, Any]:
        project: dict[str, Any] = tomllib.loads((self.folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        return project


def new(kind: str, name: str, folder: Path, *options: str) -> Finished:
    return run("multinet", "plugins", "new", kind, name, *options, cwd=folder)


@pytest.fixture(scope="module")
def scaffolds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scaffold]:
    """One of each kind, called ``my-adapter`` and so on, untouched, and installed beside each other."""
    written, site = tmp_path_factory.mktemp("written"), tmp_path_factory.mktemp("site")
    said = {kind: new(kind, f"my-{kind}", written) for kind in SCAFFOLDS}
    path = [site, *(written / f"my-{kind}" / "src" for kind in SCAFFOLDS)]
    made = {kind: Scaffold(kind, written / f"my-{kind}", said[kind], path) for kind in SCAFFOLDS}
    for each in made.values():
        project = each.project
        entry_points = project["entry-points"]["gridworld"]
        write_distribution(site, project["name"], project["version"], entry_points, {}, project["dependencies"])
    return made


def in_folder(scaffold: Scaffold, *arguments: str) -> Finished:
    """Run a Python module where a scaffold's author would."""
    inherited = filter(None, [os.environ.get("PYTHONPATH")])
    variables = os.environ | {"PYTHONPATH": os.pathsep.join([*map(str, scaffold.path), *inherited])}
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=scaffold.folder, env=variables,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def files_of(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@on_every_kind
def test_a_distribution_is_written_whole(scaffolds: dict[str, Scaffold], kind: str) -> None:
    scaffold = scaffolds[kind]
    assert (scaffold.said.returncode, scaffold.said.stderr) == (0, "")
    package = f"src/my_{kind}"
    further = {"benchmark": f"{package}/tasks/first_door.json"}.get(kind, f"{package}/{kind}.py")
    assert files_of(scaffold.folder) == sorted(
        [
            ".github/workflows/tests.yml", ".gitignore", "LICENSE", "README.md", "pyproject.toml",
            f"{package}/__init__.py", further, f"tests/test_my_{kind}.py",
        ]
    )  # fmt: skip
    for path in files_of(scaffold.folder):
        assert "$" not in (scaffold.folder / path).read_text(encoding="utf-8")


@on_every_kind
def test_it_names_its_plugin_and_what_it_needs(scaffolds: dict[str, Scaffold], kind: str) -> None:
    project = scaffolds[kind].project
    assert project["name"] == f"my-{kind}"
    provides, _ = PROVIDED[kind]
    module = f"my_{kind}.{kind}" if kind in ("mechanism", "goal") else f"my_{kind}"
    assert project["entry-points"] == {"gridworld": {f"my_{kind}": f"{module}:{provides.upper()}"}}
    assert "gridworld-core>=0.2,<1" in project["dependencies"]


@on_every_kind
def test_it_declares_exactly_what_it_imports(scaffolds: dict[str, Scaffold], kind: str) -> None:
    scaffold = scaffolds[kind]
    imported = {
        module.split(".")[0]
        for path in (scaffold.folder / "src").rglob("*.py")
        for module, _ in imported_names(path.read_text(encoding="utf-8"))
    }
    distributions = {
        "gridworld": "gridworld-core",
        "gridworld_multigrid": "gridworld-multigrid",
        "multinet_eval": "multinet-eval",
    }
    used = {distributions.get(each, each) for each in imported - sys.stdlib_module_names - {f"my_{kind}"}}
    assert used == {requirement.split("=")[0].rstrip(">") for requirement in scaffold.project["dependencies"]}


@on_some_kinds("goal")
def test_its_own_tests_pass(scaffolds: dict[str, Scaffold], kind: str) -> None:
    finished = in_folder(scaffolds[kind], "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert finished.returncode == 0, finished.stdout[-3000:]
    assert "skipped" not in finished.stdout


def test_the_tests_of_several_are_collected_together(scaffolds: dict[str, Scaffold]) -> None:
    folders = [str(each.folder / "tests") for each in scaffolds.values()]
    finished = in_folder(scaffolds["metric"], "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", *folders)
    assert finished.returncode == 0, finished.stdout


def names_that_pass(scaffold: Scaffold, asked: str) -> list[str]:
    """Names checked under a name, all of which must pass."""
    finished = run("multinet", "plugins", "check", asked, "--json", path=scaffold.path)
    assert finished.returncode == 0, finished.stdout
    checked = json.loads(finished.stdout)
    assert {each["verdict"] for each in checked if each["kind"] not in LIVE} <= {"passed"}
    assert {each["verdict"] for each in checked if each["kind"] in LIVE} <= {"skipped"}
    return [each["name"] for each in checked]


@on_some_kinds("adapter", "mechanism", "observer")
def test_each_of_them_conforms(scaffolds: dict[str, Scaffold], kind: str) -> None:
    assert PROVIDED[kind][1] in names_that_pass(scaffolds[kind], f"my-{kind}")


@on_some_kinds("goal")
def test_each_of_them_conforms_when_what_it_provides_is_named(scaffolds: dict[str, Scaffold], kind: str) -> None:
    assert PROVIDED[kind][1] in names_that_pass(scaffolds[kind], PROVIDED[kind][1])


def test_scaffolds_are_listed_and_not_heavy(scaffolds: dict[str, Scaffold]) -> None:
    finished = run("multinet", "plugins", "--json", path=scaffolds["adapter"].path)
    listed = {plugin["distribution"]: plugin for plugin in json.loads(finished.stdout)["plugins"]}
    for kind, (provides, name) in PROVIDED.items():
        plugin = listed[f"my-{kind}"]
        assert (plugin["status"], plugin["heavy_imports"]) == ("loaded", [])
        assert plugin["provides"] == [{"kind": provides, "name": name}]


def test_they_pass_ruff_and_are_formatted(scaffolds: dict[str, Scaffold]) -> None:
    rules = "A,B,C4,C90,E,F,I,N,PT,PTH,RET,RUF,SIM,T20,UP,W"
    for scaffold in scaffolds.values():
        left_out = ("--ignore", "A002,RUF012")  # names of the toolkit's interface, and of what its kits are told
        checked = in_folder(scaffold, "ruff", "check", "--isolated", "--no-cache", "--select", rules, *left_out, ".")
        assert checked.returncode == 0, checked.stdout
        formatted = in_folder(scaffold, "ruff", "format", "--isolated", "--no-cache", "--diff", ".")
        assert formatted.returncode == 0, formatted.stdout


@pytest.mark.thorough
def test_they_pass_mypy_strictly(scaffolds: dict[str, Scaffold], tmp_path: Path) -> None:
    packages = [argument for kind in scaffolds for argument in ("-p", f"my_{kind}")]
    options = ("--strict", "--config-file", "", "--cache-dir", str(tmp_path))
    variables = {"MYPYPATH": os.pathsep.join(map(str, scaffolds["adapter"].path))}
    finished = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *packages],
        env=os.environ | variables, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout


def lines_of_code(source: str) -> int:
    """Lines with anything of a statement on them but imports and docstrings; comments and blank lines do not count."""
    return len({line for node in _statements(ast.parse(source)) for line in _own_lines(node)})


def _statements(tree: ast.AST) -> Iterator[ast.stmt]:
    for node in ast.walk(tree):
        documentation = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.stmt) and not isinstance(node, ast.Import | ast.ImportFrom) and not documentation:
            yield node


def _own_lines(node: ast.stmt) -> range:
    """The lines of a statement, for a compound one those of its head, decorators included."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.If | ast.For | ast.With | ast.Try):
        return range(first, (node.end_lineno or node.lineno) + 1)
    return range(first, max(node.lineno + 1, node.body[0].lineno))


def test_only_lines_of_statements_count() -> None:
    source = '''"""Two
lines."""

import os
from a import (
    b,
)

# why
x = [
    1,
]


@c
def f(
    y,
):
    """Doc."""

    return y  # so
'''
    assert lines_of_code(source) == 8


@on_every_kind
def test_an_author_writes_few_lines(scaffolds: dict[str, Scaffold], kind: str) -> None:
    sources = [path.read_text(encoding="utf-8") for path in (scaffolds[kind].folder / "src").rglob("*.py")]
    assert 0 < sum(map(lines_of_code, sources)) <= MOST_LINES[kind]


def test_an_untouched_adapter_is_evaluated(scaffolds: dict[str, Scaffold]) -> None:
    scaffold = scaffolds["adapter"]
    options = ("--benchmark", "validation_10", "-M", "straight=5", "--json")
    results = json_of(run("multinet-run-eval", "--model", "my-adapter", *options, path=scaffold.path))
    assert (results["model_name"], results["num_tasks"]) == ("my-adapter", 10)


@pytest.mark.parametrize(
    "options",
    [
        ["--model", "random", "--backend", "my-backend", "--backend-arg", "pixels=4"],
        pytest.param(["--model", "optimal", "--tiling", "my-tiling"], marks=pytest.mark.thorough),
        pytest.param(["--model", "optimal", "--benchmark", "my-benchmark"], marks=pytest.mark.thorough),
        pytest.param(["--model", "optimal", "--observation", "my-observation"], marks=pytest.mark.thorough),
    ],
    ids=lambda options: options[-1],
)
def test_untouched_scaffolds_can_be_played(scaffolds: dict[str, Scaffold], options: list[str]) -> None:
    results = json_of(run("multinet-run-eval", *options, "--json", path=scaffolds["backend"].path))
    assert results["num_tasks"] > 0
    if "optimal" in options:
        assert results["success_rate"] == 1


def test_an_untouched_observer_is_told(scaffolds: dict[str, Scaffold], tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    options = (
        "--observer",
        "my-observer",
        "--observer-arg",
        f"my-observer.file={notes}",
        "--benchmark",
        "validation_10",
        "-q",
    )
    output_of(run("multinet-run-eval", "--model", "optimal", *options, path=scaffolds["observer"].path))
    lines = notes.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 10
    assert all(": solved in " in line for line in lines)


@on_every_kind
def test_it_ends_by_saying_what_to_do_next(scaffolds: dict[str, Scaffold], kind: str) -> None:
    said = scaffolds[kind].said.stdout
    _, name = PROVIDED[kind]
    for command in (f"pip install ./my-{kind}", f"pytest ./my-{kind}", f"multinet plugins check {name}"):
        assert f"  {command}" in said
    assert said.splitlines()[-1].split()[0] in ("multinet", "multinet-run-eval")
    assert name in said.splitlines()[-1].split()


def test_it_goes_into_another_folder_if_asked(tmp_path: Path) -> None:
    (tmp_path / "in here").mkdir()
    finished = new("goal", "near", tmp_path, "-o", "in here")
    assert finished.returncode == 0
    assert (tmp_path / "in here" / "near" / "pyproject.toml").is_file()
    assert "pip install './in here/near'" in finished.stdout


@in_turn("kind, name", list(SCAFFOLDS), ["My.Plugin_2", "x", "UPPER", "random-model", "a--b"])
def test_every_name_of_a_distribution_will_do(tmp_path: Path, kind: str, name: str) -> None:
    assert new(kind, name, tmp_path).returncode == 0
    for path in (tmp_path / name).rglob("*.py"):
        compile(path.read_text(encoding="utf-8"), str(path), "exec")
    tomllib.loads((tmp_path / name / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("kind", "name", "reasons"),
    [
        ("adapter", "", ["'' cannot name a distribution"]),
        ("adapter", "-x", ["No such option"]),
        ("adapter", "x-", ["'x-' cannot name a distribution; expected letters"]),
        ("adapter", "my plugin", ["cannot name a distribution"]),
        ("adapter", "../escape", ["cannot name a distribution"]),
        ("adapter", "über", ["cannot name a distribution"]),
        ("adapter", "3d", ["its import package would be '3d', which Python cannot import"]),
        ("adapter", "class", ["its import package would be 'class', which Python cannot import"]),
        ("adapter", "random", ["an import package 'random' already exists"]),
        ("adapter", "Gridworld", ["an import package 'gridworld' already exists"]),
        ("adapter", "gridworld.core", ["a distribution 'gridworld.core' already exists; choose another name"]),
        ("adapter", "Numpy", ["a distribution 'Numpy' already exists"]),
        ("adapter", "ollama-model\n", ["cannot name a distribution"]),
        ("adapter", "optimal", ["model 'optimal' is already provided by gridworld-core; choose another name"]),
        ("observation", "image", ["'--observation image' is already in use; choose another name"]),
        ("observation", "none", ["'--observation none' is already in use; choose another name"]),
        ("tiling", "all", ["'--tiling all' is already in use; choose another name"]),
        ("modle", "mine", ["unknown kind of plugin 'modle' (did you mean 'model'?)"]),
        ("mechansim", "mine", ["kind of plugin 'mechansim'", "did you mean 'mechanism'?", *SCAFFOLDS]),
        ("adapter", "mine -o nowhere", ["the folder nowhere does not exist"]),
    ],
)
def test_a_call_that_cannot_be_is_refused(tmp_path: Path, kind: str, name: str, reasons: list[str]) -> None:
    name, *options = name.split(" -o ")
    assert_refused(new(kind, name, tmp_path, *(("-o", *options) if options else ())), *reasons)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ["a folder", "an empty folder", "a file", "a broken link"])
def test_nothing_is_overwritten(tmp_path: Path, what: str) -> None:
    target = tmp_path / "mine"
    if what == "a file":
        target.write_text("precious")
    elif what == "a broken link":
        target.symlink_to(tmp_path / "nowhere")
    else:
        target.mkdir()
        if what == "a folder":
            (target / "notes").write_text("precious")
    before = files_of(tmp_path), target.is_symlink()
    assert_refused(new("tiling", "mine", tmp_path), "mine exists already; choose another name")
    assert (files_of(tmp_path), target.is_symlink()) == before
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("length", [250, 260])
def test_nothing_is_left_behind_where_it_cannot_be_written(tmp_path: Path, length: int) -> None:
    finished = new("adapter", "a" * length, tmp_path)
    assert_refused(finished, "cannot write", exit_code=1)
    assert list(tmp_path.iterdir()) == []


def test_an_untouched_metric_measures_an_earlier_run(scaffolds: dict[str, Scaffold], tmp_path: Path) -> None:
    task = benchmark_place(get_registry().benchmarks.get("validation_10")) / "v01_empty_room.json"
    (tmp_path / "tasks").mkdir()
    shutil.copy(task, tmp_path / "tasks")
    options = ("--task-dir", tmp_path / "tasks", "--run-dir", tmp_path / "run", "-B", "render_mode=none", "-q")
    assert (
        run("multinet-run-eval", "--model", "optimal", *options, variables={"MULTINET_NO_RECORD": ""}).returncode == 0
    )
    rescored = run("multinet", "runs", "rescore", tmp_path / "run", "--all", "--json", path=scaffolds["metric"].path)
    (row,) = (row for row in json.loads(rescored.stdout)["runs"] if row["metric"] == "my-metric")
    assert 0 < row["value"] < 1
