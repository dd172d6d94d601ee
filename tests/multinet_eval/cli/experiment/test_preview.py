"""``multinet experiment preview``: what each condition asks, one after another; nobody is asked."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from multinet_eval.experiments.preparing import mark_differences
from support.commands import invoke
from support.runs import write_corridor

STUDY = """
[base]
model = "ollama"
model_arguments = { model = "m", base_url = "http://nobody.invalid:1" }
suite = "mazes"
explain = "none"
backend_arguments = { tile_size = 8 }

[[condition]]
name = "the same"

[[condition]]
name = "in words"
observation = "text"

[[condition]]
name = "elsewhere"
observation_control = "swapped"
"""
lines = st.lists(st.sampled_from("abc"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_corridor(tmp_path / "mazes", "a", "@.G", max_steps=4)
    write_corridor(tmp_path / "mazes", "b", "@...G", max_steps=6)
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path / "study.toml"


def shown(file: Path, *options: str | Path) -> dict[str, list[str]]:
    """Condition to the lines that are printed of it."""
    finished = invoke(["experiment", "preview", file, *options])
    assert (finished.exit_code, finished.stderr) == (0, "")
    blocks = [block.splitlines() for block in finished.stdout.rstrip().split("\n\n=== ")]
    return {first.removeprefix("=== ").split(":")[0]: rest for first, *rest in blocks}


def test_the_base_comes_first_and_what_differs_from_it_is_marked(file: Path) -> None:
    found = shown(file)
    assert list(found) == ["base", "the same", "in words", "elsewhere"]
    assert not any(line.startswith(("+", "-")) for line in found["base"])
    assert found["the same"] == ["    ollama/m, a", "    same as the base"]
    assert "+ #>.G#" in found["in words"]
    assert "  Mission: reach the goal" in found["in words"]
    changed = [line[:15] for line in found["elsewhere"] if line.startswith(("+", "-"))]
    assert changed == ["- [image 40x24:", "+ [image 56x24:"]


def test_the_first_or_a_given_task_is_shown_at_any_step(file: Path) -> None:
    assert shown(file)["base"][0] == "    ollama/m, a"
    other = shown(file, "--task", file.parent / "mazes" / "b.json", "--step", "2")["base"]
    assert other[0] == "    ollama/m, b"
    assert "  This is step 3 of at most 6." in other


def test_a_model_without_a_prompt_is_shown_with_what_it_is_given(file: Path) -> None:
    found = shown(file, "--set", "model=random", "--set", "observation=image+text")
    assert "  reach the goal" in found["base"]
    assert any(line.startswith("  [image 40x24: observation]") for line in found["base"])


def test_pictures_are_written_into_a_folder_for_each_condition(file: Path, tmp_path: Path) -> None:
    finished = invoke(["experiment", "preview", file, "-o", tmp_path / "pictures", "--json"])
    parts = {each["condition"]: each["parts"] for each in json.loads(finished.stdout)}
    files = {name: [part["file"] for part in found if part["kind"] == "image"] for name, found in parts.items()}
    assert files["in words"] == []
    sizes = {name: Image.open(paths[-1]).size for name, paths in files.items() if paths}
    assert sizes == {"base": (40, 24), "the same": (40, 24), "elsewhere": (56, 24)}


def test_what_cannot_be_asked_is_refused_with_its_condition(file: Path) -> None:
    file.write_text(f'{STUDY}\n[[condition]]\nname = "bad"\nmodel = "greedy"\nprotocol = "plan"\n')
    finished = invoke(["experiment", "preview", file])
    assert finished.exit_code == 2
    assert "condition 'bad': model 'greedy' replies with a single action" in finished.stderr


@given(lines, lines)
def test_marked_lines_hold_both_texts(base: list[str], other: list[str]) -> None:
    marked = mark_differences(base, other)
    assert [line for mark, line in marked if mark != "+"] == base
    assert [line for mark, line in marked if mark != "-"] == other
    if base == other:
        assert all(mark == " " for mark, _ in marked)


def test_only_what_differs_can_be_shown(file: Path) -> None:
    found = shown(file, "--differences")
    assert "  Mission: reach the goal" in found["base"]
    assert all(line.startswith(("+", "-")) for line in found["in words"][1:])


def test_without_a_playable_base_the_first_condition_is_the_base(file: Path) -> None:
    text = STUDY.replace('model = "ollama"\n', "", 1).replace('name = "', 'model = "ollama"\nname = "')
    file.write_text(text.replace("[base]", "[base]\nseed = 1", 1))
    assert list(shown(file)) == ["the same", "in words", "elsewhere"]
