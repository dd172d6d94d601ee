"""Workflows of the code host, the sessions of the noxfile, and what distributions declare agree."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SESSION = re.compile(r"nox (?:-s|--session) ([\w-]+)")


@cache
def noxfile() -> ast.Module:
    return ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))


def all_sessions() -> set[str]:
    """Names of all sessions of the noxfile."""
    found = set()
    for function in noxfile().body:
        for decorator in getattr(function, "decorator_list", ()):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if ast.unparse(called) == "nox.session":
                keywords = {each.arg: each.value for each in getattr(decorator, "keywords", ())}
                found.add(ast.literal_eval(keywords["name"]) if "name" in keywords else function.name)
    return found


def default_sessions() -> list[str]:
    """Sessions that `nox` runs without arguments."""
    (value,) = [
        statement.value
        for statement in noxfile().body
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "nox.options.sessions"
    ]
    sessions: list[str] = ast.literal_eval(value)
    return sessions


def jobs_of(name: str) -> dict[str, Any]:
    jobs: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))["jobs"]
    return jobs


def matrix_of(job: str) -> dict[str, Any]:
    matrix: dict[str, Any] = jobs_of("checks.yml")[job]["strategy"]["matrix"]
    return matrix


def test_the_checks_are_the_default_sessions() -> None:
    assert matrix_of("sources")["session"] + matrix_of("installed")["session"] == default_sessions()


def test_what_is_installed_is_checked_on_each_declared_python() -> None:
    for path in ROOT.glob("packages/*/pyproject.toml"):
        classifiers = tomllib.loads(path.read_text(encoding="utf-8"))["project"]["classifiers"]
        declared = [each.rpartition(" ")[2] for each in classifiers if re.search(r":: 3\.\d+$", each)]
        assert matrix_of("installed")["python"] == declared


def test_what_is_left_out_of_the_checks_exists() -> None:
    matrix = matrix_of("installed")
    assert all(left_out[key] in matrix[key] for left_out in matrix["exclude"] for key in left_out)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_commands_of_a_workflow_install_nox_and_run_a_session_that_exists(workflow: Path) -> None:
    steps = [step for job in jobs_of(workflow.name).values() for step in job.get("steps", ())]
    commands = [step["run"] for step in steps if "run" in step]
    named = {"nox --session ${{ matrix.session }}", *(f"nox --session {name}" for name in all_sessions())}
    assert set(commands[::2]) == {"pip install nox uv"}
    assert set(commands[1::2]) <= named


def test_only_the_job_that_publishes_may_act_as_the_project() -> None:
    release = jobs_of("release.yml")
    assert [name for name, job in release.items() if "id-token" in job.get("permissions", {})] == ["publish"]
    assert (release["publish"]["needs"], release["build"]["needs"]) == ("build", "checks")


def test_contributing_explains_each_session_and_no_other() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    explained = re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE)
    assert sorted(explained) == sorted(all_sessions())
    assert set(SESSION.findall(text)) <= all_sessions()
