"""Plugins in a fresh interpreter, where nothing has been imported."""

from pathlib import Path

from support.plugins import models_module, write_distribution
from support.programs import run_python
from support.worlds import describe


def write_models(folder: Path, distribution: str, module: str, *names: str) -> None:
    write_distribution(folder, distribution, "1.0", {"models": module}, {f"{module}.py": models_module(*names)})


def test_prints_of_a_loading_plugin_go_to_standard_error(tmp_path: Path) -> None:
    goals = "\n@hookimpl\ndef gridworld_goals():\n    print('hi')\n    return []"
    source = "print('hello')\n" + models_module("still") + goals
    write_distribution(tmp_path, "talking", "1.0", {"models": "talking"}, {"talking.py": source})
    finished = run_python("from gridworld.plugins import load_registry; print(*load_registry().models)", (tmp_path,))
    assert "still" in finished.stdout
    assert "hello" not in finished.stdout
    assert finished.stderr.split() == ["hello", "hi"]


def test_plugins_are_loaded_once_a_task_needs_them_and_without_heavy_libraries(tmp_path: Path) -> None:
    write_models(tmp_path, "third-party", "third_models", "still")
    code = """
import sys
import gridworld, gridworld.hookspecs, gridworld.plugins, gridworld.task_spec, gridworld.world
from gridworld.task_spec import MechanismSet, TaskSpecification

def loaded():
    return [name for name in ("third_models", "gridworld.builtin") if name in sys.modules]

print(MechanismSet().doors, loaded())
try:
    TaskSpecification.from_dict({})
except Exception:
    print(loaded())

from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object

print([name for name in ("numpy", "minigrid", "gymnasium", "PIL") if name in sys.modules])
for provided in get_registry().models:
    if provided.distribution == "gridworld-core":
        load_object(provided.item.target)
print([name for name in ("minigrid", "gymnasium", "PIL") if name in sys.modules])
"""
    assert run_python(code, [tmp_path]).stdout.splitlines() == [
        "() []",
        "['third_models', 'gridworld.builtin']",
        "[]",
        "[]",
    ]


def test_threads_that_are_the_first_to_need_the_plugins_load_them_once(tmp_path: Path) -> None:
    source = "import time\n\ntime.sleep(0.05)\nprint('loaded')\n" + models_module("still")
    write_distribution(tmp_path, "slow", "1.0", {"models": "slow_models"}, {"slow_models.py": source})
    task = describe("####\n#@G#\n####")
    code = f"""
import sys, threading
from concurrent.futures import ThreadPoolExecutor

sys.setswitchinterval(1e-5)  # seconds, so that threads meet in the middle of everything
together = threading.Barrier(8).wait

def ask(number):
    together()
    if number % 2:
        from gridworld.task_spec import TaskSpecification
        assert TaskSpecification.from_dict({task!r}).validate() == (True, [])
    from gridworld.plugins import get_registry
    return id(get_registry())

with ThreadPoolExecutor(8) as pool:
    print(len(set(pool.map(ask, range(8)))))
"""
    finished = run_python(code, [tmp_path])
    assert (finished.stdout, finished.stderr) == ("1\n", "loaded\n")


def test_no_hook_is_called_again_because_it_needs_the_registry_itself(tmp_path: Path) -> None:
    source = """
from gridworld.hookspecs import ModelInfo, hookimpl

calls = []

@hookimpl
def gridworld_models():
    calls.append("call")
    from gridworld.task_spec import TaskSpecification

    try:
        TaskSpecification.from_dict({})
    except Exception:
        pass
    return [ModelInfo("still", "A model.", "nowhere:Still")]
"""
    write_distribution(tmp_path, "third-party", "1.0", {"m": "reentrant"}, {"reentrant.py": source})
    code = "from gridworld.plugins import get_registry; get_registry(); import reentrant; print(len(reentrant.calls))"

    assert run_python(code, [tmp_path]).stdout == "1\n"
