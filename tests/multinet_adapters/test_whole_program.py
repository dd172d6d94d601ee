"""A model behind a server, evaluated by the installed program."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from multinet_adapters.testing.model_servers import MODEL, ModelServer, serve_plan
from support.commands import run_eval
from support.programs import run_python
from support.runs import write_corridor
from support.worlds import key


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """A folder with one task, which three steps straight on solve."""
    write_corridor(tmp_path / "tasks", "corridor", "@..G")
    return tmp_path / "tasks"


def evaluated(model: str, server: ModelServer, tasks: Path, *options: str) -> dict[str, Any]:
    address = {"ollama": server.ollama_url, "anthropic": server.anthropic_url}.get(model, server.openai_url)
    line = ["--task-dir", tasks, "--model", model, "-M", f"model={MODEL}", "-M", f"base_url={address}"]
    finished = run_eval(*line, "--json", *options)
    assert finished.exit_code == 0, finished.stderr
    results: dict[str, Any] = json.loads(finished.stdout)
    return results


@pytest.mark.parametrize("model", ["ollama", "lmstudio", "openai", "anthropic"])
def test_a_model_that_answers_well_solves_a_task(model: str, tasks: Path) -> None:
    with serve_plan(["move_forward", 2, "move_forward"]) as server:
        results = evaluated(model, server, tasks)
    assert (results["model_name"], results["num_success"]) == (f"{model}/{MODEL}", 1)
    assert results["task_results"][0]["steps_taken"] == len(server.chats) == 3


def test_it_is_told_the_mission_the_step_and_what_was_before(tasks: Path) -> None:
    write_corridor(tasks, "corridor", "@..kG", k=key("red"), goal={"type": "collect_all", "target_ids": ["k"]})
    with serve_plan(["move_forward", "move_forward", "pickup"]) as server:
        results = evaluated("ollama", server, tasks, "--history-images", "2", "--history-text")
    assert results["num_success"] == 1
    mission = results["task_results"][0]["mission"]
    assert "goal" not in mission
    assert all(f"Mission: {mission}\n" in chat.text for chat in server.chats)
    assert [f"step {number} of at most 6" in chat.text for number, chat in enumerate(server.chats, 1)] == [True] * 3
    assert "Step 2: move_forward:" in server.chats[2].text


def test_each_picture_is_shown_again_as_it_was(tasks: Path) -> None:
    with serve_plan(["move_forward"] * 3) as server:
        evaluated("openai", server, tasks, "--history-images", "2", "--explain", "rules")
    shown = [[np.asarray(Image.open(io.BytesIO(data))) for data in chat.images] for chat in server.chats]
    assert [len(images) for images in shown] == [1, 2, 3]
    first, second, third = (images[-1] for images in shown)
    assert not np.array_equal(first, second)
    assert np.array_equal(shown[2], [first, second, third])


def test_listing_the_models_imports_no_library_for_http_and_that_of_transformers_none_of_its_own() -> None:
    finished = run_python(
        "import sys; from gridworld.plugins import get_registry; assert 'ollama' in get_registry().models.names()\n"
        "print({'requests', 'urllib3', 'numpy', 'multinet_adapters.chat_adapter'} & set(sys.modules))\n"
        "import multinet_adapters.transformers_model; print({'torch', 'transformers'} & set(sys.modules))",
        [],
    )
    assert (finished.returncode, finished.stdout) == (0, "set()\nset()\n"), finished.stderr
