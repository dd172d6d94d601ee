"""Demonstrations exported to Minari: what Minari loads can be played again from the dataset alone."""

import json
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs
import minari
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete, Text
from hypothesis import given
from hypothesis import strategies as st
from minari.dataset.minari_dataset import parse_dataset_id
from minari.namespace import list_local_namespaces

from gridworld.errors import GridworldError, InvalidTaskError
from gridworld.plugins import get_registry, using_registry
from gridworld.solver import solve
from gridworld.solver.plans import NoPlanError
from gridworld.suites import load_benchmark
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import CustomMiniGridEnv
from multinet_eval.datasets.minari_export import (
    Demonstration,
    DemonstrationError,
    export_to_minari,
    minari_dataset_id,
    plan_demonstrations,
)
from support.thoroughness import in_turn
from support.tilings import TILINGS
from support.worlds import block, compiled, corridor, door, draw, gate, hazard, key, switch

ID = "gridworld/drawn-optimal-v0"
CLOSE = {"observability": "view_cone", "view_size": 3}
FAR = {"observability": "fog_of_war", "view_size": 9}
SUITE = [
    attrs.evolve(task, task_id=f"task-{number}")
    for number, task in enumerate(
        [
            corridor("@.G"),
            draw("########\n#@k.D.G#\n########", k=key("red"), D=door("red")),
            draw("########\n#@s..g.#\n#....#G#\n########", s=switch("g"), g=gate(), rules=CLOSE),
            draw(
                "########\n#@.b.t.#\n#.H...G#\n########",
                b=block(),
                H=hazard(),
                rules=FAR,
                goal={"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]},
            ),
        ]
    )
]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Minari's folder of datasets, which is not there yet."""
    folder = tmp_path / "datasets"
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder))
    return folder


@pytest.fixture
def exported(root: Path) -> minari.MinariDataset:
    """The suite of this file, exported and loaded."""
    export_to_minari(plan_demonstrations(SUITE), ID)
    return minari.load_dataset(ID)


def metadata_of(dataset: minari.MinariDataset) -> list[dict[str, Any]]:
    return list(dataset.storage.get_episode_metadata(dataset.episode_indices))


def observations_of(episode: minari.EpisodeData) -> list[dict[str, Any]]:
    """The observations of an episode one by one, in the form of the dataset's space."""
    columns = episode.observations
    return [
        {"image": image, "direction": direction, "mission": mission}
        for image, direction, mission in zip(columns["image"], columns["direction"], columns["mission"], strict=True)
    ]


def amid_unseen_cells(image: np.ndarray, view: int) -> np.ndarray:
    """A symbolic view where it lies in one of `view` cells a side: its agent at the middle of the last row too."""
    whole = np.zeros((view, view, 3), dtype=np.uint8)
    for column in range(len(image)):
        for row in range(len(image)):
            whole[view // 2 - len(image) // 2 + column, view - len(image) + row] = image[column, row]
    return whole


def assert_can_be_played_again(dataset: minari.MinariDataset) -> None:
    """Every episode gives the same rewards, endings and observations in the environment of the task in its metadata."""
    view = dataset.observation_space["image"].shape[0]

    def expect(stored: dict[str, Any], given_again: dict[str, Any]) -> None:
        assert np.array_equal(stored["image"], amid_unseen_cells(given_again["image"], view))
        assert stored["direction"] == given_again["direction"]
        assert stored["mission"] == given_again["mission"]

    for episode, metadata in zip(dataset.iterate_episodes(), metadata_of(dataset), strict=True):
        env = CustomMiniGridEnv(TaskSpecification.from_dict(json.loads(metadata["task"])))
        first, *others = observations_of(episode)
        expect(first, env.reset(seed=metadata["seed"])[0])
        outcomes = zip(episode.rewards, episode.terminations, episode.truncations, strict=True)
        for action, outcome, stored in zip(episode.actions, outcomes, others, strict=True):
            observation, reward, terminated, truncated, _ = env.step(action)
            assert outcome == (reward, terminated, truncated)
            expect(stored, observation)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def demonstration(task_id: str = "drawn", **changes: Any) -> Demonstration:
    return plan_demonstrations([attrs.evolve(corridor("@.G"), task_id=task_id, **changes)])[0]


# Playing again


def test_what_minari_loads_can_be_played_again(exported: minari.MinariDataset) -> None:
    assert_can_be_played_again(exported)


def test_progress_is_told_after_each_step(root: Path) -> None:
    made, told = plan_demonstrations(SUITE[:2]), list[tuple[int, int]]()
    export_to_minari(made, ID, progress=lambda *each: told.append(each))
    steps = sum(len(each.actions) for each in made)
    assert told == [(number, steps) for number in range(1, steps + 1)]


def test_the_installed_suite_can_be_played_again(root: Path) -> None:
    suite = load_benchmark(get_registry().benchmarks.get("validation_10"))
    dataset_id = minari_dataset_id("validation_10")
    assert dataset_id == "gridworld/validation_10-optimal-v0"
    export_to_minari(plan_demonstrations(suite), dataset_id)

    dataset = minari.load_dataset(dataset_id)
    assert [metadata["task_id"] for metadata in metadata_of(dataset)] == [task.task_id for task in suite]
    assert all(episode.terminations[-1] and episode.rewards[-1] > 0 for episode in dataset)
    assert_can_be_played_again(dataset)


def test_the_description_tells_how_to_play_an_episode_again(exported: minari.MinariDataset) -> None:
    make, begin = re.findall(r"`(.*?)`", exported.storage.metadata["description"])
    names: dict[str, Any] = {"dataset": exported}
    exec(make, names)
    for episode, metadata in zip(exported, metadata_of(exported), strict=True):
        env = names["env"]
        eval(begin, {**names, "metadata": metadata})
        assert [env.step(action)[1] for action in episode.actions] == list(episode.rewards)


def test_the_metadata_hold_the_task_and_its_seed(exported: minari.MinariDataset) -> None:
    for metadata, task in zip(metadata_of(exported), SUITE, strict=True):
        assert TaskSpecification.from_dict(json.loads(metadata["task"])) == task
        assert (metadata["task_id"], metadata["seed"]) == (task.task_id, task.seed)


def test_a_task_whose_file_is_large_is_kept_whole(root: Path) -> None:
    task = attrs.evolve(corridor("@.G"), metadata={"notes": "long" * 50_000})
    export_to_minari(plan_demonstrations([task]), ID)
    (metadata,) = metadata_of(minari.load_dataset(ID))
    assert TaskSpecification.from_dict(json.loads(metadata["task"])) == task


@in_turn("name, pictures", TILINGS, [False, True])
def test_the_recovered_environment_plays_every_episode_again(name: str, pictures: bool, root: Path) -> None:
    suite = [task for task in SUITE if task.task_id != "task-3"]  # blocks cannot be pushed alike on all tilings
    arguments = {"tiling": name, "image_size": 64}
    made = plan_demonstrations(suite, name)
    export_to_minari(made, ID, backend="multigrid", arguments=arguments, pictures=pictures)
    dataset = minari.load_dataset(ID)
    env = dataset.recover_environment()
    assert ("pixels" in dataset.observation_space.spaces) == pictures
    for episode, metadata in zip(dataset.iterate_episodes(), metadata_of(dataset), strict=True):
        again = [env.reset(options={"task_id": metadata["task_id"]})[0]]
        again.extend(env.step(action)[0] for action in episode.actions)
        for number, observation in enumerate(again):
            stored = {key: column[number] for key, column in episode.observations.items()}
            assert all(np.array_equal(stored[key], observation[key]) for key in stored)
            assert observation in env.observation_space
            assert observation in dataset.observation_space
    env.close()


def test_pictures_of_grids_of_different_sizes_have_one_size(root: Path) -> None:
    export_to_minari(plan_demonstrations(SUITE), ID, arguments={"tile_size": 8}, pictures=True)
    dataset = minari.load_dataset(ID)
    assert dataset.observation_space["pixels"].shape == (4 * 8, 8 * 8, 3)
    env = dataset.recover_environment()
    env.reset(options={"task_id": "task-0"})
    picture = dataset[0].observations["pixels"][0]
    assert picture[: 3 * 8, : 5 * 8].any()
    assert not picture[3 * 8 :].any()
    assert not picture[:, 5 * 8 :].any()


# The dataset


def test_there_is_one_episode_for_each_task_in_order(exported: minari.MinariDataset) -> None:
    demonstrations = plan_demonstrations(SUITE)
    assert exported.total_episodes == len(SUITE)
    assert exported.total_steps == sum(len(each.actions) for each in demonstrations)
    assert [tuple(episode.actions) for episode in exported] == [each.actions for each in demonstrations]


def test_the_spaces_are_minigrids_with_the_mission_as_text(exported: minari.MinariDataset) -> None:
    space = exported.observation_space
    assert exported.action_space == Discrete(7)
    assert set(space.spaces) == {"image", "direction", "mission"}
    assert space["image"] == Box(0, 255, (9, 9, 3), np.uint8)
    assert space["direction"] == Discrete(4)
    assert isinstance(space["mission"], Text)


def test_every_observation_and_action_lies_in_its_space(exported: minari.MinariDataset) -> None:
    for episode in exported:
        assert all(exported.action_space.contains(action) for action in episode.actions)
        for observation in observations_of(episode):
            assert exported.observation_space.contains(observation)


def test_views_of_seven_cells_and_less_give_minigrids_usual_space(root: Path) -> None:
    spaces = []
    for name, suite in (
        ("plain", SUITE[:2]),
        ("close", [SUITE[2], attrs.evolve(SUITE[2], task_id="again")]),
        ("mixed", SUITE[:3]),
    ):
        export_to_minari(plan_demonstrations(suite), minari_dataset_id(name))
        spaces.append(minari.load_dataset(minari_dataset_id(name)).observation_space)
    assert spaces[0]["image"].shape == (7, 7, 3)
    assert spaces[0] == spaces[1] == spaces[2]


def test_the_default_view_is_stored_just_as_the_environment_gives_it(root: Path) -> None:
    export_to_minari(plan_demonstrations(SUITE[:1]), ID)
    env = CustomMiniGridEnv(SUITE[0])
    assert np.array_equal(minari.load_dataset(ID)[0].observations["image"][0], env.reset()[0]["image"])


def test_a_small_view_shows_nothing_beyond_what_the_task_allows(root: Path) -> None:
    """Two worlds that differ only out of a view of 3 cells are the same in a dataset whose views have 7."""
    images = []
    for name, thing in (("with", {"H": hazard()}), ("without", {"H": key("blue")})):
        task = draw("#########\n#@...H..#\n#......G#\n#########", rules=CLOSE, **thing)
        export_to_minari(plan_demonstrations([task, SUITE[0]]), minari_dataset_id(name))
        images.append(minari.load_dataset(minari_dataset_id(name))[0].observations["image"][0])
    assert np.array_equal(*images)


def test_views_are_stored_without_loss_however_large(root: Path) -> None:
    task = attrs.evolve(SUITE[0], rules=attrs.evolve(SUITE[0].rules, view_size=35))
    export_to_minari(plan_demonstrations([task]), ID)
    assert_can_be_played_again(minari.load_dataset(ID))


def test_the_dataset_says_who_made_it_how_and_what_is_in_it(exported: minari.MinariDataset) -> None:
    metadata = exported.storage.metadata
    assert metadata["author"] == {"multinet-gridworld"}
    assert "Shortest plans" in metadata["algorithm_name"]
    assert f"{len(SUITE)} episodes" in metadata["description"]
    assert f"{exported.total_steps} steps" in metadata["description"]
    assert metadata["minari_version"] == minari.__version__
    assert metadata["requirements"][0].startswith("gridworld-minigrid==")


def test_minari_lists_the_dataset_and_its_namespace(exported: minari.MinariDataset) -> None:
    assert set(minari.list_local_datasets()) == {ID}
    assert list_local_namespaces() == ["gridworld"]


def test_minaris_own_program_shows_the_dataset(exported: minari.MinariDataset) -> None:
    program = Path(sys.executable).with_name("minari")
    shown = subprocess.run([program, "show", ID], capture_output=True, text=True, check=True).stdout
    assert "multinet-gridworld" in shown


def test_minari_can_split_filter_and_combine_datasets(exported: minari.MinariDataset, root: Path) -> None:
    export_to_minari([demonstration()], minari_dataset_id("other"))
    other = minari.load_dataset(minari_dataset_id("other"))

    assert [part.total_episodes for part in minari.split_dataset(other, sizes=[1])] == [1]
    assert len(exported.filter_episodes(lambda episode: len(episode) == 2)) == 1
    combined = minari.combine_datasets([other, other], "gridworld/twice-v0")
    assert [list(episode.actions) for episode in combined] == [[2, 2], [2, 2]]


def test_an_episode_can_be_printed(exported: minari.MinariDataset) -> None:
    assert "total_steps=2" in repr(exported[0])


# Where it is written, and when it is not


def test_the_folder_of_the_dataset_is_returned(root: Path) -> None:
    assert export_to_minari([demonstration()], ID) == root / "gridworld" / "drawn-optimal-v0"


def test_a_task_id_cannot_leave_the_folder_of_the_dataset(root: Path, tmp_path: Path) -> None:
    path = export_to_minari([demonstration("../../x")], ID)
    assert [metadata["task_id"] for metadata in metadata_of(minari.load_dataset(ID))] == ["../../x"]
    outside = [each for each in tmp_path.rglob("*") if each.is_file() and not each.is_relative_to(path)]
    assert outside == [path.parent / "namespace_metadata.json"]


def test_another_folder_can_be_given(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "else" / "where"
    assert export_to_minari([demonstration()], ID, elsewhere).is_relative_to(elsewhere)
    assert not root.exists()
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(elsewhere))
    assert minari.load_dataset(ID).total_episodes == 1


def test_without_any_folder_the_dataset_goes_where_minari_keeps_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MINARI_DATASETS_PATH", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert export_to_minari([demonstration()], ID) == tmp_path / ".minari" / "datasets" / ID


def test_datasets_can_lie_in_nested_namespaces_or_in_none(root: Path) -> None:
    for dataset_id in ("one/two/name-v3", "name-v0"):
        export_to_minari([demonstration()], dataset_id)
        assert minari.load_dataset(dataset_id).id == dataset_id
    assert list_local_namespaces() == ["one", "one/two"]


def test_the_folder_can_be_read_by_whoever_can_read_its_neighbours(exported: minari.MinariDataset, root: Path) -> None:
    (root / "neighbour").mkdir()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (root / "neighbour", root / ID)}
    assert len(set(modes.values())) == 1


def test_a_dataset_that_is_there_is_not_overwritten(root: Path) -> None:
    export_to_minari([demonstration("first")], ID)
    before = files_in(root)
    with pytest.raises(DemonstrationError, match=r"a Minari dataset already exists at .*drawn-optimal-v0"):
        export_to_minari([demonstration("second")], ID)
    assert files_in(root) == before


def test_a_dataset_is_overwritten_when_asked_and_nothing_is_left_of_the_old_one(root: Path) -> None:
    export_to_minari([demonstration("first"), demonstration("other")], ID)
    before = set(files_in(root))
    export_to_minari([demonstration("second")], ID, overwrite=True)
    assert [metadata["task_id"] for metadata in metadata_of(minari.load_dataset(ID))] == ["second"]
    assert set(files_in(root)) == before


def test_a_folder_that_is_no_dataset_is_never_overwritten(root: Path) -> None:
    (root / ID).mkdir(parents=True)
    (root / ID / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(DemonstrationError, match="is not a Minari dataset"):
        export_to_minari([demonstration()], ID, overwrite=True)
    assert (root / ID / "thesis.txt").read_text(encoding="utf-8") == "years of work"


@pytest.mark.parametrize("impossible", [{"task_id": "a\0b"}, {"task_id": "\ud800"}, {"seed": 2**70}], ids=str)
def test_what_hdf5_cannot_hold_is_an_error_that_leaves_everything_as_it_was(
    root: Path, impossible: dict[str, Any]
) -> None:
    export_to_minari([demonstration()], ID)
    before = files_in(root)
    with pytest.raises(DemonstrationError, match=f"cannot write the Minari dataset '{ID}'"):
        export_to_minari([demonstration("fine"), demonstration(**impossible)], ID, overwrite=True)
    assert files_in(root) == before
    assert {path.name for path in root.iterdir()} == {"gridworld"}


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DemonstrationError) as caught:
        export_to_minari([demonstration()], ID, tmp_path / "file")
    assert str(tmp_path / "file") in str(caught.value)


def test_a_demonstration_that_goes_another_way_in_the_environment_is_refused(root: Path) -> None:
    for actions in ((2,), (2, 2, 2)):
        planned_elsewhere = attrs.evolve(demonstration("other"), actions=actions)
        with pytest.raises(DemonstrationError, match=r"'other' takes a different course.*same tiling"):
            export_to_minari([planned_elsewhere], ID)
    assert not (root / ID).exists()


def test_two_different_tasks_of_one_id_are_refused(root: Path) -> None:
    with pytest.raises(DemonstrationError, match="two different tasks with the id 'drawn'"):
        export_to_minari([demonstration(), demonstration(seed=5)], ID)


def test_a_task_may_have_several_episodes(root: Path) -> None:
    export_to_minari([demonstration(), demonstration()], ID)
    assert minari.load_dataset(ID).total_episodes == 2


def test_a_backend_without_an_environment_is_refused(root: Path) -> None:
    registry = get_registry()
    without = (attrs.evolve(each, item=attrs.evolve(each.item, environment=None)) for each in registry.backends)
    with (
        using_registry(registry.with_provided("backend", without)),
        pytest.raises(DemonstrationError, match="no Gymnasium environment"),
    ):
        export_to_minari([demonstration()], ID)


def test_a_dataset_without_episodes_is_refused(root: Path) -> None:
    with pytest.raises(DemonstrationError, match="at least one demonstration"):
        export_to_minari([], ID)


@pytest.mark.parametrize("dataset_id", ["", "name", "a/b.c-v0", "../x-v0", "/etc/x-v0", "space name-v0", "x-v"])
def test_an_id_that_minari_does_not_take_is_refused(root: Path, dataset_id: str) -> None:
    with pytest.raises(DemonstrationError, match=r"is not a Minari dataset id such as gridworld/suite-optimal-v0"):
        export_to_minari([demonstration()], dataset_id)
    assert not root.exists()


@given(suite=st.text(), variant=st.none() | st.text())
def test_any_suite_gives_an_id_that_minari_takes(suite: str, variant: str | None) -> None:
    namespace, _, version = parse_dataset_id(minari_dataset_id(suite, variant))
    assert (namespace, version) == ("gridworld", 0)


def test_suites_with_different_names_have_different_ids() -> None:
    names = ["v1.2", "v1-2", "v1_2", "v1 2", "größe", "grösse"]
    assert len({minari_dataset_id(name) for name in names}) == len(names)


# The optional dependencies


@pytest.mark.parametrize("missing", ["minari", "h5py", "PIL"])
def test_without_an_optional_dependency_the_error_says_what_to_install(
    root: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)  # what the import system takes for a module that is not there
    with pytest.raises(GridworldError, match=r"pip install 'multinet-eval\[minari\]'"):
        export_to_minari([demonstration()], ID)


def test_nothing_of_it_is_imported_before_it_is_needed() -> None:
    program = "import sys, multinet_eval.datasets.minari_export as m; print(sorted(set(m.REQUIRED) & set(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


def test_no_network_is_needed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise AssertionError(f"connects to {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    export_to_minari([demonstration()], ID)
    assert minari.load_dataset(ID).total_episodes == 1


# The plans


def test_a_task_is_won_by_a_shortest_plan() -> None:
    (made,) = plan_demonstrations(SUITE[1:2])
    assert made.actions == solve(compiled(SUITE[1])).plan


def test_a_task_without_a_winning_plan_is_refused_or_left_out() -> None:
    hopeless = attrs.evolve(corridor("@H.G", H=hazard()), task_id="hopeless")
    with pytest.raises(NoPlanError, match="task 'hopeless': it cannot be won"):
        plan_demonstrations([hopeless])
    with pytest.raises(NoPlanError, match="gave up after 2 states"):
        plan_demonstrations(SUITE[1:2], max_states=2)
    left_out = list[NoPlanError]()
    made = plan_demonstrations([hopeless, corridor("@.G")], "hex", without_plan=left_out.append)
    assert [each.task.task_id for each in made] == ["drawn"]
    assert [error.task_id for error in left_out] == ["hopeless"]


def test_a_task_that_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidTaskError):
        plan_demonstrations([attrs.evolve(corridor("@.G"), max_steps=0)])
