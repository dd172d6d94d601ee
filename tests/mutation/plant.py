"""Plants the faults, one at a time, in a copy of the tree, and says which of them the tests notice.

Run by ``nox -s mutation``; names of faults, or parts of them, as arguments plant only these.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
from faults import FAULTS, Fault

REPOSITORY = Path(__file__).parents[2]
COPIED = ("packages", "tests", "examples", "docs", "benchmarks", "pyproject.toml", "README.md", "CONTRIBUTING.md",
          "CHANGELOG.md", "run_eval.py", "noxfile.py", "mkdocs.yml")  # fmt: skip
TESTS_FAILED = 1
"""Exit code of pytest; one that also stands for a module that could not be imported, which names no test."""
TIMEOUT = 1800


@attrs.frozen
class Finding:
    """Result of planting a fault."""

    fault: Fault
    noticed: bool
    detail: str
    """The test that noticed it, or why none did."""


def main(wanted: list[str]) -> int:
    """Plant the faults whose names have any of these parts, or all; 0 if all of them are noticed, otherwise 1."""
    faults = [fault for fault in FAULTS if not wanted or any(part in fault.name for part in wanted)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [_told(finding) for finding in pool.map(_plant, faults)]
    missed = sum(not finding.noticed for finding in findings)
    sys.stdout.write(f"{len(findings) - missed} of {len(findings)} faults noticed\n")
    return 1 if missed or not findings else 0


def _told(finding: Finding) -> Finding:
    verdict = "noticed" if finding.noticed else "MISSED "
    sys.stdout.write(f"{verdict} {finding.fault.name}: {finding.detail}\n")
    sys.stdout.flush()
    return finding


def _plant(fault: Fault) -> Finding:
    with TemporaryDirectory() as folder:
        tree = Path(folder)
        copy_tree(tree)
        module = tree / "packages" / fault.module
        text = module.read_text(encoding="utf-8")
        if text.count(fault.right) != 1:
            return Finding(fault, False, f"{fault.module} has not once the text {fault.right!r}")
        module.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
        return _finding(fault, _run_tests(tree, fault.tests))


def copy_tree(tree: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "dist", ".*_cache")
    for name in COPIED:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=ignored)
        elif source.exists():
            shutil.copy(source, tree)


def _run_tests(tree: Path, paths: Iterable[str]) -> subprocess.CompletedProcess[str]:
    """The tests, up to the first that fails, on the sources of the copy rather than on what is installed."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider"]
    sources = os.pathsep.join(map(str, sorted(tree.glob("packages/*/src"))))
    return subprocess.run(
        [*command, *(f"tests/{path}" for path in paths)],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": sources},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


def _finding(fault: Fault, finished: subprocess.CompletedProcess[str]) -> Finding:
    failed = re.search(r"^(?:FAILED|ERROR) (.+?::.+?)(?: - .*)?$", finished.stdout, re.MULTILINE)
    if finished.returncode == TESTS_FAILED and failed:
        return Finding(fault, True, failed[1])
    closing = finished.stdout.strip().splitlines()[-1:] or finished.stderr.splitlines()[-1:]
    return Finding(fault, False, f"pytest exited with {finished.returncode}: {' '.join(closing)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
