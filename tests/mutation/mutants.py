"""Makes mutants of some folders over the syntax tree, and says which of them the tests that cover their lines notice.

    python tests/mutation/mutants.py --seed 7 --coverage .coverage packages/multinet-eval/src/multinet_eval/play

The coverage file has to hold contexts: ``pytest --cov --cov-context=test``. Each mutant is planted in a copy of the
tree, and tests that cover its line are run until one fails.
"""

import argparse
import ast
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
from plant import REPOSITORY, copy_tree

MOST_TESTS = 25
TIMEOUT = 120
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div}


@attrs.frozen
class Mutant:
    """A change of one place."""

    file: Path
    line: int
    start: tuple[int, int]
    end: tuple[int, int]
    text: str
    """Takes the place of what stands from `start` to `end` (line from 1, column in bytes)."""

    def __str__(self) -> str:
        return f"{self.file.relative_to(REPOSITORY)}:{self.line}: {self.text!r}"


def mutants_of(file: Path) -> Iterator[Mutant]:
    """All mutants of a module, in order."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                for replaced, text in _changes(node):
                    yield _mutant(file, replaced, text)


def _changes(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """The places of a node that are changed, and what takes their place."""
    yield from _changed_expressions(node)
    match node:
        case ast.If(test=test) | ast.While(test=test):
            yield test, f"not ({ast.unparse(test)})"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield value, "None"
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Assign(targets=[ast.Attribute()]):
            yield node, "pass"


def _changed_expressions(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=comparators) if type(operator) in COMPARISONS:
            yield node, ast.unparse(ast.Compare(left, [COMPARISONS[type(operator)]()], comparators))
        case ast.BoolOp(op=operator, values=values):
            other: ast.boolop = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield node, ast.unparse(ast.BoolOp(other, values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, ast.unparse(operand)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS and not _is_text(node):
            yield node, ast.unparse(ast.BinOp(left, OPERATORS[type(operator)](), right))
        case ast.Constant(value=bool(value)):
            yield node, repr(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield node, repr(value + 1)


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(each, ast.Constant | ast.JoinedStr) and not isinstance(
        getattr(each, "value", ""), int | float) for each in (node.left, node.right))  # fmt: skip


def _mutant(file: Path, node: ast.AST, text: str) -> Mutant:
    start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]  # all that is changed stands somewhere
    return Mutant(file, start[0], start, end, text)


def planted(mutant: Mutant) -> str:
    """The module with the change."""
    lines = mutant.file.read_bytes().splitlines(keepends=True)
    (first, begin), (last, end) = mutant.start, mutant.end
    before = b"".join(lines[: first - 1]) + lines[first - 1][:begin]
    after = lines[last - 1][end:] + b"".join(lines[last:])
    return (before + mutant.text.encode() + after).decode()


def covering_tests(mutant: Mutant, coverage_file: str) -> list[str]:
    """The tests that cover the line, as pytest names them."""
    from coverage import CoverageData

    data = CoverageData(coverage_file)
    data.read()
    contexts = data.contexts_by_lineno(str(mutant.file)).get(mutant.line, [])
    return sorted({each.partition("|")[0] for each in contexts if each})


def verdict(mutant: Mutant, tests: list[str], dice: random.Random) -> str:
    """``noticed``, ``MISSED`` or ``uncovered``, with how."""
    if not tests:
        return "uncovered"
    chosen = tests if len(tests) <= MOST_TESTS else dice.sample(tests, MOST_TESTS)
    with TemporaryDirectory() as folder:
        tree = Path(folder)
        copy_tree(tree)
        (tree / mutant.file.relative_to(REPOSITORY)).write_text(planted(mutant), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider", *chosen]
        sources = os.pathsep.join(map(str, sorted(tree.glob("packages/*/src"))))
        try:
            done = subprocess.run(
                command, cwd=tree, env={**os.environ, "PYTHONPATH": sources}, capture_output=True, text=True,
                timeout=TIMEOUT, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"noticed: no end within {TIMEOUT} s"
    if done.returncode == 0:
        return f"MISSED by {len(chosen)} of {len(tests)} tests"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return f"noticed: {failed[0] if failed else f'exit code {done.returncode}'}"


def main() -> int:
    """Plant mutants drawn by a seed; 0 if nine of ten are noticed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, required=True)
    options.add_argument("--count", type=int, default=120)
    options.add_argument("--coverage", default=".coverage")
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("folders", nargs="+", type=Path)
    asked = options.parse_args()
    files = sorted(file.resolve() for folder in asked.folders for file in folder.rglob("*.py"))
    every = [mutant for file in files for mutant in mutants_of(file)]
    dice = random.Random(asked.seed)
    drawn = dice.sample(every, min(asked.count, len(every)))
    with ThreadPoolExecutor(asked.jobs) as pool:
        found = pool.map(
            lambda each: verdict(each, covering_tests(each, asked.coverage), random.Random(asked.seed)), drawn
        )
        missed = 0
        for mutant, said in zip(drawn, found, strict=True):
            missed += not said.startswith("noticed")
            sys.stdout.write(f"{mutant}: {said}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(drawn) - missed} of {len(drawn)} of {len(every)} mutants noticed\n")
    return 0 if missed * 10 <= len(drawn) else 1


if __name__ == "__main__":
    sys.exit(main())
