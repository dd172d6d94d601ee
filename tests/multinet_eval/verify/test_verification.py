"""Recorded runs are consistent as played, and inconsistent when anything was changed."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.model_interface import AnswerOutcome, ModelOutput, Usage
from gridworld.plugins import load_registry, using_registry
from gridworld.runner.presentation import Presentation
from gridworld.suites import find_suite
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.results import rescore_run
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.asking import AnswerPolicies
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.verify.verification import UnverifiedError, Verification, refuse_unverified, verify_run
from support.plugins import install_examples
from support.runs import AnsweringModel, being_played, go_on, record_run
from support.thoroughness import bounded
from support.worlds import corridor, door, key

TASK = corridor("@kD.G", max_steps=12, k=key("red"), D=door("red"))
TASKS = [TASK, corridor("@..G", max_steps=5)]
WON = "PFTFFF"  # of the first task; the second one is left undone
LETTERS = WON + "LLLLL"

Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which the first task is won and the second one lost."""
    return record_run(tmp_path_factory.mktemp("recorded") / "run", TASKS, LETTERS).path


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The plugins of the examples, in this process."""
    for folder in install_examples(tmp_path / "examples"):
        monkeypatch.syspath_prepend(str(folder))
    with using_registry(load_registry()):
        yield


@pytest.fixture
def run(recorded: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(recorded, tmp_path / "run"))


def change_lines(path: Path, change: Callable[[Lines], Any]) -> None:
    """Change the lines of an episode's file, as whoever writes JSON can."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(lines)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def change_json(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def problems_of(run: Path) -> list[str]:
    """Problems of a run, with places relative to its folder."""
    return [str(each).replace(f"{run}/", "") for each in verify_run(run).problems]


def kinds(lines: Lines, kind: str) -> list[int]:
    """The numbers of the lines of a kind, from 0."""
    return [number for number, line in enumerate(lines) if kind in line]


# --- Runs as they were played ---------------------------------------------------------------------------------------


WAYS: dict[str, dict[str, Any]] = {
    "usual": {},
    "epochs": {"epochs": 3, "seed": 7},
    "tilings": {"tilings": ("hex", "3464"), "compares_tilings": True, "backend_arguments": ()},
    "chunks": {"protocol": "chunk:3"},
    "plan": {"protocol": "plan"},
    "texts": {"presentation": Presentation("image+map", 1, 2, explain="full")},
    "swapped": {"presentation": Presentation(observation_control="swapped")},
    "examples": {"presentation": Presentation("image+map", examples=1)},
    "factor": {"budget_factor": "3"},
    "mission": {"mission": "both"},
    "refused": {"policies": AnswerPolicies(on_unparsable="retry:1,fail")},
}


class Moody(AnsweringModel):
    """Answers with several actions, or cannot be understood."""

    def __init__(self) -> None:
        several = ModelOutput(3, actions=(3, 2, 5), raw_output="{}", usage=Usage(3, 4, seconds=0.25))
        super().__init__(
            several, AnswerOutcome.UNPARSABLE, "F", AnswerOutcome.ILLEGAL, *"FTFFF", several, *"LLFFLFF" * 9
        )

    def can_reply(self, form: object) -> bool:
        return True

    def predict(self, input: Any) -> ModelOutput:
        output = super().predict(input)
        return output if input.reply.max_actions > 1 else ModelOutput(output.action)


@pytest.mark.parametrize("way", WAYS)
def test_a_run_is_consistent_as_it_was_played(way: str, tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, Moody(), **WAYS[way]).path
    found = verify_run(path)
    assert (found.problems, found.unchecked, found.verified) == ((), (), True)
    lines = [lines[-1] for _, lines in RunDirectory(path).episodes()]
    assert (found.episodes, found.steps) == (len(lines), sum(len(each.steps) for each in lines))


def test_a_resumed_and_extended_run_is_consistent(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, make_model("random", []), requests=3).path
    go_on(path, epochs=2)
    assert verify_run(path).consistent


@pytest.mark.usefixtures("examples")
def test_runs_of_foreign_simulators_are_checked_by_their_digests(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, "FFTLFF" * 9, backend="warehouse", backend_arguments=()).path
    found = verify_run(path)
    assert found.consistent
    (unchecked,) = found.unchecked
    assert "is not built on the kernel: only its own digests of its states are compared" in unchecked.message


# --- Forged runs ----------------------------------------------------------------------------------------------------


def test_a_changed_action_is_named_at_its_line(run: Path) -> None:
    """Both a step alone, and the answer that led to it, after which everything is another."""
    file = run / "episodes" / "1.jsonl"
    shutil.copy(file, run / "kept")
    change_lines(file, lambda lines: lines[kinds(lines, "step")[1]]["step"].update(action=1))
    assert problems_of(run) == ["episodes/1.jsonl, line 5: step.action: found 1, expected 0"]
    shutil.copy(run / "kept", file)
    change_lines(file, lambda lines: lines[kinds(lines, "request")[1]]["request"].update(action=1))
    (first, *others) = problems_of(run)
    assert first == "episodes/1.jsonl, line 5: step.action: found 0, expected 1"
    assert any("line 5: step.digest: found" in each for each in others)


def with_fields(kind: str, number: int, **fields: Any) -> Callable[[Lines], None]:
    """A change of fields in one of the lines of a kind."""
    return lambda lines: lines[kinds(lines, kind)[number]][kind].update(fields)


def without_step(number: int) -> Callable[[Lines], None]:
    """The removal of a step and its request."""

    def drop(lines: Lines) -> None:
        del lines[kinds(lines, "step")[number]], lines[kinds(lines, "request")[number]]

    return drop


def claim_success(lines: Lines) -> None:
    lines[-1]["end"]["reason"] = "goal"
    lines[-1]["end"]["final_state"]["goal_reached"] = True


NO_ANSWER = "a request with the outcome"
FORGERIES: dict[str, tuple[int, Callable[[Lines], None], list[str]]] = {
    "illegal": (1, with_fields("request", 0, outcome="illegal"), [f"2: {NO_ANSWER} 'illegal' and the action 0"]),
    "no action": (1, with_fields("request", 0, action=None), [f"2: {NO_ANSWER} 'ok' and the action None"]),
    "another action": (
        1,
        with_fields("request", -1, action=9),
        ["10: it cannot be replayed: action 9 is not in the action"],
    ),
    "negative tokens": (
        1,
        with_fields("request", 0, usage={"prompt_tokens": -500, "seconds": 1.5}),
        ["2: request: 'prompt_tokens' must be >= 0: -500"],
    ),
    "no first step": (0, without_step(0), ["3: expected step 1, got step 2"]),
    "no third step": (0, without_step(2), ["7: expected step 3, got step 4"]),
    "no last step": (0, without_step(-1), ["12: found 'end', but 'request' has to follow the lines before it"]),
    "success": (
        1,
        claim_success,
        [
            '12: end.reason: found "goal", expected "budget"',
            "12: end.final_state.goal_reached: found true, expected false",
        ],
    ),
    "a shorter optimum": (0, with_fields("end", -1, optimal_steps=3), ["14: end.optimal_steps: found 3, expected 6"]),
}


@pytest.mark.parametrize(("episode", "change", "expected"), FORGERIES.values(), ids=FORGERIES)
def test_a_forged_line_is_named(episode: int, change: Callable[[Lines], None], expected: list[str], run: Path) -> None:
    change_lines(run / "episodes" / f"{episode}.jsonl", change)
    with suppress(RunError):
        rescore_run(run)  # as a forger would
    found = problems_of(run)
    assert len(found) == len(expected)
    for problem, start in zip(found, expected, strict=True):
        assert problem.startswith(f"episodes/{episode}.jsonl, line {start}")


def test_a_forged_success_in_the_results_is_detected(run: Path) -> None:
    change_json(run / "results.json", lambda data: data["task_results"][1].update(success=True))
    assert problems_of(run) == [
        f"results.json: task_results[1].success: found true, expected false; 'multinet runs rescore {run}' rewrites it"
    ]


def test_a_swapped_task_is_detected(run: Path) -> None:
    first, second = sorted((run / "tasks").iterdir())
    text = first.read_text(encoding="utf-8")
    first.write_text(second.read_text(encoding="utf-8"), encoding="utf-8")
    assert problems_of(run) == [
        f"tasks/{first.name}: the task is not the one that was played; its file has been changed"
    ]
    second.write_text(text, encoding="utf-8")
    assert len(problems_of(run)) == 2


def test_an_episode_does_not_stand_for_another(run: Path) -> None:
    """Neither as it is nor with the number of the other one."""
    won, lost = (run / "episodes" / name for name in ("0.jsonl", "1.jsonl"))
    shutil.copy(won, lost)
    (first, *others) = problems_of(run)
    assert first == "episodes/1.jsonl, line 1: header.number: found 0, expected 1"
    change_lines(lost, lambda lines: lines[0]["header"].update(number=1))
    assert problems_of(run) == others != []


def test_a_copied_repetition_is_detected_by_its_times(tmp_path: Path) -> None:
    class Timed(AnsweringModel):
        """Says how long it took, as adapters measure it."""

        def predict(self, input: Any) -> ModelOutput:
            return ModelOutput(super().predict(input).action, usage=Usage(seconds=len(self.inputs) / 7))

    run = record_run(tmp_path / "run", TASKS[:1], Timed(*WON, *"L" * 30), epochs=2).path
    assert verify_run(run).consistent
    header = json.loads((run / "episodes" / "1.jsonl").read_text(encoding="utf-8").splitlines()[0])
    shutil.copy(run / "episodes" / "0.jsonl", run / "episodes" / "1.jsonl")
    change_lines(run / "episodes" / "1.jsonl", lambda lines: lines.__setitem__(0, header))
    rescore_run(run)
    assert problems_of(run) == [
        "episodes/1.jsonl: it is a copy of 0.jsonl: its requests took the same times, to the last digit"
    ]


def test_a_second_attempt_after_the_end_is_reported(run: Path) -> None:
    shutil.copy(run / "episodes" / "1.jsonl", run / "episodes" / "1.2.jsonl")
    assert problems_of(run) == ["episodes/1.jsonl: the episode ended here, but there is another attempt at it"]
    (run / "episodes" / "1.2.jsonl").rename(run / "episodes" / "1.3.jsonl")
    assert problems_of(run)[0] == "episodes/1.3.jsonl: found the attempts 1, 3, expected 1 to 2"


def test_unplanned_episodes_are_reported(run: Path) -> None:
    shutil.copy(run / "episodes" / "1.jsonl", run / "episodes" / "7.jsonl")
    shutil.copy(run / "episodes" / "1.jsonl", run / "episodes" / "01.jsonl")
    assert sorted(problems_of(run)) == [
        "episodes/01.jsonl: its name is not that of an episode's file",
        "episodes/7.jsonl: there is no episode 7 in the plan",
    ]


def test_a_changed_kept_text_is_reported(run: Path) -> None:
    (text, *_) = sorted((run / "texts").iterdir())
    text.write_text("reach the goal, which is two steps ahead", encoding="utf-8")
    assert problems_of(run)[0].startswith(f"texts/{text.name}: its content has been changed: it has the digest ")


def test_missing_kept_files_are_reported_at_their_first_use(run: Path) -> None:
    first, second = map(json.loads, (run / "episodes" / "0.jsonl").read_text(encoding="utf-8").splitlines()[:2])
    (message,) = second["request"]["sent"][0]["messages"]
    scene, text = first["header"]["scene"], next(part["file"] for part in message["parts"] if "file" in part)
    (run / "scenes" / f"{scene}.json").unlink()
    (run / "texts" / f"{text}.txt").unlink()
    unread = f"line 2: request.sent cannot be read: texts/{text}.txt: there is no such file"
    assert problems_of(run) == [
        f"episodes/0.jsonl, line 1: header.scene: scenes/{scene}.json is missing",
        f"episodes/0.jsonl, line 2: request.sent[0]: texts/{text}.txt is missing",
        *(f"episodes/{each}.jsonl, {unread}" for each in (0, 1)),
    ]


@pytest.mark.usefixtures("examples")
def test_missing_pictures_of_foreign_simulators_are_reported(tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", TASKS, "FFTLFF" * 9, backend="warehouse", backend_arguments=()).path
    (picture, *_) = sorted((run / "frames").iterdir())
    picture.unlink()
    (problem,) = problems_of(run)
    assert problem.endswith(f": request.frame: frames/{picture.name} is missing")


def test_an_unplanned_task_is_reported(run: Path) -> None:
    (task, *_) = (run / "tasks").iterdir()
    shutil.copy(task, run / "tasks" / "feed.json")
    assert problems_of(run) == ["tasks/feed.json: there is no such task in the plan"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda data: data["plan"][1].update(seed=5), "run.json: plan[1].seed: found 5, expected 1"),
        (lambda data: data["plan"].pop(), "run.json: suite_hash: found "),
        (lambda data: data["plan"].append(data["plan"][0]), "run.json: suite_hash: found "),
        (lambda data: data["settings"].update(epochs=2), "run.json: plan.length: found 2, expected 4"),
        (lambda data: data["fingerprint"].update(seed=3), "run.json: fingerprint.seed: found 3, expected nothing"),
        (
            lambda data: data["fingerprint"].update(prompt="abc"),
            "run.json: fingerprint.prompt: found abc, expected nothing",
        ),
        (
            lambda data: data["settings"].update(model="ollama"),
            "run.json: fingerprint.prompt: found nothing, expected a digest",
        ),
        (lambda data: data["fingerprint"].update(suite="abc"), "run.json: fingerprint.suite: found abc, expected "),
        (
            lambda data: data["settings"]["presentation"].update(observation="text"),
            "run.json: fingerprint.presentation.observation: found image, expected text",
        ),
        (
            lambda data: data["grounds"][0].update(on_kernel=False),
            "run.json: grounds[0].on_kernel: found false, expected true",
        ),
        (lambda data: data.update(model_name="better"), 'line 1: header.model: found "scripted", expected "better"'),
        (
            lambda data: data.update(grounds=[]),
            "run.json is damaged: grounds: found 0, expected one for each of 1 tiling",
        ),
        (lambda data: data.update(plan="none"), "run.json is damaged: "),
    ],
)
def test_a_changed_manifest_is_named(change: Callable[[dict[str, Any]], Any], expected: str, run: Path) -> None:
    change_json(run / "run.json", change)
    assert any(expected in each for each in problems_of(run)), problems_of(run)


def leaves(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values in JSON that hold no others."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    found = [leaf for name, each in inner for leaf in leaves(each, (*path, name))]
    return found or [path]


def other(value: Any) -> Any:
    """A value that is not this one."""
    return not value if isinstance(value, bool) else value + 1 if isinstance(value, int | float) else f"{value}x"


@bounded(12)
@given(data=st.data())
def test_any_changed_value_of_the_world_is_noticed(recorded: Path, data: st.DataObject) -> None:
    """Any value of any header, step or end."""
    run = recorded.with_name("mutated")
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(recorded, run)
    file = run / "episodes" / data.draw(st.sampled_from(["0.jsonl", "1.jsonl"]))

    def change(lines: Lines) -> None:
        line = lines[data.draw(st.sampled_from([n for n, each in enumerate(lines) if "request" not in each]))]
        path = data.draw(st.sampled_from(leaves(line)))
        inner = line
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = other(inner[path[-1]])

    change_lines(file, change)
    assert any(f"episodes/{file.name}, line" in each for each in problems_of(run))


# --- Damaged and unfinished runs ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"{", "episodes/1.jsonl: its last line is torn: it does not end"),
        (b"{\n", "episodes/1.jsonl, line 13: it is not JSON"),
        (b"[]\n", "episodes/1.jsonl, line 13: unexpected structure"),
        (b'{"end":{"reason":"goal"}}\n', "episodes/1.jsonl, line 13: expected no line after the end"),
        (b'{"step":{}}\n', "episodes/1.jsonl, line 13: "),
        (b"\xff\n", "episodes/1.jsonl, line 13: it is not JSON"),
    ],
)
def test_damaged_lines_are_reported(content: bytes, expected: str, run: Path) -> None:
    with (run / "episodes" / "1.jsonl").open("ab") as file:
        file.write(content)
    (problem,) = problems_of(run)
    assert problem.startswith(expected)


def test_the_record_of_an_unfinished_run_is_checked(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, requests=8).path
    found = verify_run(path)
    assert (found.consistent, found.complete, found.verified) == (True, False, False)
    assert (found.episodes, found.steps) == (1, 8)
    (pending,) = found.pending
    assert pending.message == f"2 of 2 episodes have not ended: 0, 1; 'multinet runs resume {path}' resumes it"
    with pytest.raises(UnverifiedError, match=f"{path}: it is not complete: 2 of 2 episodes have not ended"):
        refuse_unverified([found])
    change_lines(path / "episodes" / "0.jsonl", lambda lines: lines[-1]["step"].update(reward=1.0))
    (problem,) = problems_of(path)
    assert "step.reward: found 1.0, expected nothing" in problem


def test_the_resume_command_is_not_named_for_a_playing_run(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, requests=8).path
    with being_played(path):
        held, left = verify_run(path).pending
    assert "is being played by process" in str(held)
    assert "--take-over" not in str(held)  # which verification does not have
    assert left.message == "2 of 2 episodes have not ended: 0, 1"


def test_a_torn_line_of_a_killed_process_is_ignored(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, requests=8).path
    with (path / "episodes" / "0.jsonl").open("ab") as file:
        file.write(b'{"step":{')
    assert (verify_run(path).consistent, verify_run(path).steps) == (True, 8)


def test_a_run_without_episodes_is_inconsistent(run: Path) -> None:
    shutil.rmtree(run / "episodes")
    assert "cannot read episodes" in problems_of(run)[0]


@pytest.mark.parametrize("content", [None, "", "{", "[]"])
def test_missing_or_damaged_results_are_reported(content: str | None, run: Path) -> None:
    (run / "results.json").unlink()
    if content is not None:
        (run / "results.json").write_text(content, encoding="utf-8")
    assert problems_of(run)[0].startswith("results.json: ")


@pytest.mark.parametrize("file", ["results.json", "episodes/2.jsonl"])
def test_whether_a_task_can_be_won_is_checked(file: str, tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", [*TASKS, corridor("@.#G", max_steps=2)], WON + "L" * 7).path
    claim: dict[str, Callable[[Path], None]] = {
        "results.json": lambda path: change_json(path, lambda data: data["task_results"][2].update(unsolvable=False)),
        "episodes/2.jsonl": lambda path: change_lines(path, lambda lines: lines[-1]["end"].update(unsolvable=False)),
    }
    claim[file](run / file)
    (problem,) = problems_of(run)
    assert "unsolvable: found false" in problem


# --- What cannot be checked here ------------------------------------------------------------------------------------


def verified_without(run: Path, plugin: str) -> Verification:
    with using_registry(load_registry([plugin])):
        return verify_run(run)


def test_parts_of_missing_plugins_are_reported_as_unchecked(tmp_path: Path) -> None:
    settings = {"tilings": ("square", "hex"), "compares_tilings": True, "backend_arguments": ()}
    run = record_run(tmp_path / "run", TASKS, LETTERS, **settings).path
    found = verified_without(run, "gridworld-multigrid")
    assert (found.consistent, found.verified, found.episodes, found.unplayed) == (True, False, 0, 4)
    with pytest.raises(UnverifiedError, match=f"{run}: 4 episodes cannot be replayed here: "):
        refuse_unverified([found])
    assert any("its episodes on hex cannot be replayed" in each.message for each in found.unchecked)


def test_other_versions_are_reported(run: Path) -> None:
    def change(data: dict[str, Any]) -> None:
        data["circumstances"]["versions"]["gridworld-core"] = "7.3.1"
        data["fingerprint"]["versions"]["gridworld-core"] = "7.3"

    change_json(run / "run.json", change)
    found = verify_run(run)
    assert found.consistent
    minor = ".".join(version("gridworld-core").split(".")[:2])
    assert f"fingerprint.versions.gridworld-core: the run was played with 7.3, and {minor} is installed" in str(
        found.unchecked[0]
    )


def test_a_suite_is_compared_with_the_installed_one_of_its_name(run: Path) -> None:
    """A part of it, or a folder, may be called so, too."""
    change_json(run / "run.json", lambda data: data.update(suite="validation_10"))
    rescore_run(run)
    found = verify_run(run)
    assert found.consistent
    (unchecked,) = found.unchecked
    assert str(unchecked).startswith(
        f"{run}/run.json: suite: its tasks are not those of the installed 'validation_10', which have the hash "
    )


def test_the_installed_suite_is_recognized(tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", find_suite("validation_10"), requests=1, suite="validation_10").path
    assert verify_run(run).unchecked == ()


def test_generated_suites_are_not_compared(run: Path) -> None:
    change_json(run / "run.json", lambda data: data.update(suite="fresh_100"))
    assert any("are not generated to compare them" in str(each) for each in verify_run(run).unchecked)


def test_a_verification_is_json_ready(run: Path) -> None:
    change_json(run / "results.json", lambda data: data.update(spl=1))
    data = json.loads(json.dumps(verify_run(run).to_dict()))
    assert (data["consistent"], data["episodes"]) == (False, 2)
    assert [each["path"].removeprefix(f"{run}/") for each in data["problems"]] == ["results.json: spl"]


def test_a_backend_that_is_not_installed_has_to_be_that_of_the_fingerprint(run: Path) -> None:
    change_json(run / "run.json", lambda data: data["settings"].update(backend="nonesuch"))
    assert problems_of(run) == [
        "run.json: fingerprint.backend.name: found minigrid, expected 'nonesuch'",
        "run.json: grounds[0].backend: found 'minigrid', expected 'nonesuch'",
    ]


def test_a_number_of_more_than_64_bits_at_the_end_is_told_with_its_line(run: Path) -> None:
    change_lines(run / "episodes" / "0.jsonl", lambda lines: lines[-1]["end"].update(optimal_steps=10**400))
    assert "end: expected whole numbers of at most 64 bits" in problems_of(run)[0]
