"""Runs Python programs in forks of a process that has imported what they need, since imports take most of their time.

Each program is a process of its own and runs its whole script, with its own arguments, variables, current folder,
streams and plugins.
"""

import atexit
import gc
import importlib
import json
import os
import platform
import runpy
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["MARK"]

IMPORTED = (
    "PIL.BmpImagePlugin",
    "PIL.GifImagePlugin",
    "PIL.JpegImagePlugin",
    "PIL.PngImagePlugin",
    "encodings.ascii",
    "encodings.utf_8_sig",
    "gridworld.ascii.reading",
    "gridworld.builtin",
    "gridworld.generation.certified_levels",
    "gridworld.generation.verifying",
    "gridworld.mechanisms.hazards",
    "gridworld.mechanisms.teleporters",
    "gridworld.solver.optimal_model",
    "gridworld.testing.installed",
    "gridworld_generators.families.mazes",
    "gridworld_generators.importers.sokoban",
    "gridworld_generators.plugin",
    "gridworld_minigrid.backend",
    "gridworld_minigrid.env",
    "gridworld_minigrid_plugin",
    "gridworld_multigrid.backend",
    "gridworld_multigrid_plugin",
    "gridworld_polygons.sight",
    "gridworld_polygons.uniform",
    "multinet_adapters.ollama_vlm_adapter",
    "multinet_adapters.openai_compatible",
    "multinet_adapters.plugin",
    "multinet_eval.analysis.metrics.measuring",
    "multinet_eval.analysis.recorded_run",
    "multinet_eval.cli.app",
    "multinet_eval.cli.eval_command",
    "multinet_eval.cli.interrupts",
    "multinet_eval.cli.live_display",
    "multinet_eval.cli.models",
    "multinet_eval.cli.plugins.check",
    "multinet_eval.cli.plugins.new",
    "multinet_eval.cli.plugins.show",
    "multinet_eval.cli.prompts",
    "multinet_eval.cli.result_tables",
    "multinet_eval.cli.runs.check",
    "multinet_eval.cli.runs.resume",
    "multinet_eval.cli.tasks.check",
    "multinet_eval.cli.tasks.export",
    "multinet_eval.cli.tasks.files",
    "multinet_eval.cli.tasks.generate",
    "multinet_eval.cli.tasks.import_levels",
    "multinet_eval.cli.tasks.look",
    "multinet_eval.cli.tasks.parallel",
    "multinet_eval.datasets.pictures",
    "multinet_eval.play.run",
    "multinet_eval.plugin",
    "multinet_eval.probing.model_check",
    "multinet_eval.record.summary",
    "multinet_eval.support.rich_console",
    "multinet_report.plugin",
    "numpy.ma",
    "pkgutil",
    "pydantic.plugin._loader",
    "rich._emoji_codes",
    "rich.progress",
    "typer._adapters",
    "typer._click._textwrap",
    "typer._click.decorators",
    "typer.rich_utils",
)
"""Modules that many programs import, with all that these import; none looks for plugins: programs have their own."""
TILE_SIZE = 32
"""Default tile size of pictures."""
HERE = Path(__file__).parent
MARK = b"\0"
"""Byte before each request, sent together with descriptors."""


def _serve() -> str | None:
    """Fork programs and wait for them on request; in a forked process, return its script."""
    own = {str(HERE), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))}
    installed = [entry for entry in sys.path if entry not in own]
    for name in IMPORTED:
        importlib.import_module(name)
    _draw_tiles()
    _lay_out_a_task()
    platform.platform()  # runs a program once, and is cached
    gc.collect()
    gc.freeze()  # programs need not collect imported modules
    with socket.socket(fileno=os.dup(0)) as control, control.makefile() as lines:
        while True:
            mark, descriptors, _, _ = socket.recv_fds(control, len(MARK), 4)
            if not mark:
                return None
            asked = json.loads(lines.readline())
            answer = os.fork() if descriptors else os.waitstatus_to_exitcode(os.waitpid(asked, 0)[1])
            if descriptors and answer == 0:
                break
            for descriptor in descriptors:
                os.close(descriptor)
            control.sendall(f"{answer}\n".encode())
    return _become(asked, descriptors, installed)


def _draw_tiles() -> None:
    """Fill the cache of pictures of cells with those of most mazes."""
    from minigrid.core.world_object import Goal, Wall

    from gridworld_minigrid.tiles import Shade, draw_tile

    for shade in (Shade.PLAIN, Shade.LIT):
        for thing in (None, Goal(), Wall()):
            draw_tile(thing, None, shade, TILE_SIZE)
        for direction in range(4):
            draw_tile(None, direction, shade, TILE_SIZE)


def _lay_out_a_task() -> None:
    """Fill the caches of reading and laying out tasks, on each tiling."""
    from gridworld.plugins import load_registry, using_registry
    from gridworld.plugins.tilings import find_tiling, lay_out
    from gridworld.suites import read_suite

    registry = load_registry()
    with using_registry(registry):
        task = read_suite("validation_10").tasks[0]
        for name in registry.tilings.names():
            lay_out(find_tiling(name), task)


def _become(program: Mapping[str, Any], descriptors: Sequence[int], installed: Sequence[str]) -> str:
    *streams, held = descriptors
    os.set_inheritable(held, False)  # its closing signals the end
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    _open_standard_streams()
    os.setsid()
    os.chdir(program["cwd"])
    _set_environment(program["variables"])
    script, *arguments = program["script"]
    sys.argv = [script, *arguments]
    plugins = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:] = [str(Path(script).parent), *plugins, *installed]
    os.sched_getaffinity = _one_core
    return str(script)


def _set_environment(variables: Mapping[str, str]) -> None:
    """Change only what differs, since a fork copies each page of memory that it writes to."""
    for name in os.environ.keys() - variables.keys():
        del os.environ[name]
    os.environ.update({name: value for name, value in variables.items() if os.environ.get(name) != value})


def _open_standard_streams() -> None:
    """Open the standard streams anew, as the interpreter does at its start."""
    sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def _one_core(pid: int) -> set[int]:
    """Pretend to have one core: starting workers takes longer than the work of a test."""
    return {0}


def _run(script: str) -> None:
    """Run a script, and exit without tearing down modules, which takes as long as most programs.

    A program that raises, ends with a message or leaves threads exits as usual.
    """
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        code = end.code or 0
    else:
        code = 0
    if threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


if __name__ == "__main__":
    program = _serve()
    if program is not None:
        _run(program)
