"""Games of persons: what they are shown, and that what is recorded is an ordinary run."""

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.errors import ArgumentError, PluginFault
from gridworld.explaining.explainer import Explainer
from gridworld.plugins.tilings import compile_on
from gridworld.runner.presentation import Presentation
from gridworld.solver.plans import optimal_solution
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.plugin_objects import make_kernel_backend
from multinet_eval.settings.run_settings import Briefing
from multinet_report.play.game import PageOptions, Person, open_game
from support.commands import invoke
from support.players import UNOPENED, begin_game, played
from support.runs import record_run
from support.worlds import compiled, door, draw, key

KEYED = """
    #######
    #@k.DG#
    #.....#
    #######
"""


def shortest_plan(task: TaskSpecification, tiling: str = "square") -> list[int]:
    """The actions of a shortest plan."""
    plan = optimal_solution(compile_on(tiling, task)).plan
    assert plan is not None
    return [int(action) for action in plan]


def keyed(**options: Any) -> TaskSpecification:
    return draw(KEYED, k=key("red"), D=door("red"), max_steps=30, **options)


FOG = {"observability": "fog_of_war", "view_size": 3}


def test_a_game_is_an_ordinary_run_of_a_model_that_is_called_by_the_pseudonym(tmp_path: Path) -> None:
    task, run = keyed(), tmp_path / "run"
    with played(begin_game([task, draw("####\n#@G#\n####", max_steps=4)], run)) as game:
        game.page.play(shortest_plan(task))
        game.page.read_on()
        assert game.page.play([2])["kind"] == "message"
        assert game.page.read_on()["final"]
    directory = RunDirectory(run)
    assert directory.manifest.model_name == "human/ada"
    results = game.outcome.result().results
    assert [(each.success, each.optimality_ratio) for each in results.in_order] == [(True, 1.0)] * 2
    assert invoke(["runs", "verify", run]).exit_code == 0
    assert "human/ada" in invoke(["runs", "show", run]).stdout
    given = {"tilings": ("square",), "backend_arguments": ()}
    other = record_run(tmp_path / "other", directory.tasks().values(), "L", suite="small", **given).path
    compared = invoke(["compare", run, other, "--json"])
    assert compared.exit_code == 0, compared.output
    assert json.loads(compared.stdout)["runs"][0]["model"] == "human/ada"
    lines = [attempts[-1] for _, attempts in directory.episodes()]
    assert {request.usage.seconds <= 0.25 for each in lines for request in each.requests if request.usage} == {True}


def test_of_several_persons_the_mean_has_an_interval_for_other_persons(tmp_path: Path) -> None:
    pictures = ("#####\n#@.G#\n#####", "######\n#@.G.#\n######")
    tasks = [attrs.evolve(draw(each, max_steps=3), task_id=f"maze{len(each)}") for each in pictures]
    for name, solves in (("ada", True), ("bob", False)):
        with played(
            begin_game(tasks, tmp_path / name, Person(name), presentation=Presentation(explain="none"))
        ) as game:
            for _ in tasks:
                game.page.play([2, 2] if solves else [0, 0, 0])
            game.page.read_on()
    compared = json.loads(invoke(["compare", tmp_path / "ada", tmp_path / "bob", "--json"]).stdout)
    assert [row["score"] for row in compared["runs"]] == [1.0, 0.0]
    pooled = compared["persons"]
    assert (pooled["persons"], pooled["mazes"], pooled["score"]) == (2, 2, 0.5)
    assert "2 persons on 2 mazes: 0.500" in invoke(["compare", tmp_path / "ada", tmp_path / "bob"]).stdout


def test_a_game_that_was_stopped_goes_on_with_the_same_step(tmp_path: Path) -> None:
    task, run = keyed(rules=FOG), tmp_path / "run"
    plan = shortest_plan(task)
    with played(begin_game([task], run)) as game:
        left = game.page.play(plan[:3])
        assert game.page.answer("stop") == 204
        assert game.page.view()["final"]
    assert game.outcome.result().stopped is not None
    again, changed = open_game(run, UNOPENED)
    assert changed == []
    with played(again) as game:
        found = game.page.read_on()
        assert {**found, "number": 0, "said": ""} == {**left, "number": 0, "said": ""}
        game.page.play(plan[3:])
        assert game.page.read_on()["final"]
    (result,) = game.outcome.result().results.in_order
    assert (result.success, result.steps_taken) == (True, len(plan))
    assert invoke(["runs", "verify", run]).exit_code == 0


def test_what_is_unseen_is_in_nothing_that_is_sent(tmp_path: Path) -> None:
    """Two mazes that differ only in what is never seen are the same to whoever reads all that is sent."""
    pictures = ["########\n#@G....#\n####...#\n########", "########\n#@G.k..#\n####.D.#\n########"]
    rules = {"observability": "view_cone", "view_size": 3}
    goal = {"type": "survive_steps"}
    things = {"k": key("blue"), "D": door("blue")}
    read = []
    for picture in pictures:
        task = draw(picture, rules=rules, goal=goal, max_steps=4, **{c: things[c] for c in things if c in picture})
        presentation = Presentation(explain="none")
        with played(begin_game([task], presentation=presentation)) as game:
            game.page.play([0, 0, 1, 1])
            game.page.read_on()
        whole = dict.fromkeys(each for each in game.page.read if b'"question"' in each or b'"final"' in each)
        assert len(whole) == 5
        read.append(list(whole))
    assert read[0] == read[1]


def test_the_board_is_the_one_that_is_shown_after_each_action() -> None:
    task = keyed(rules=FOG)
    episode = Episode(compiled(task))
    episode.reset()
    with played(begin_game([task])) as game:
        view = game.page.read_on()
        for action in shortest_plan(task):
            assert view["scene"]["agent"] == [episode.state.cell, episode.state.heading]
            shown = [look is not None for look in view["scene"]["looks"]]
            assert shown == [cell in episode.knowledge.explored for cell in range(len(shown))]
            assert view["step"] == episode.state.steps
            view = game.page.play([action])
            episode.step(action)
        assert game.page.read_on()["final"]


@pytest.mark.parametrize("observation", ["none", "image", "image+coordinates"])
def test_a_person_is_shown_what_a_model_is_and_nothing_more(observation: str) -> None:
    task = keyed()
    with played(begin_game([task], presentation=Presentation(observation, explain="none"))) as game:
        view = game.page.read_on()
        formats = Presentation(observation).format
        assert (view["scene"] is not None) == formats.image
        assert bool(view["texts"]) == bool(formats.texts)
        assert (view["picture"], view["earlier"]) == (None, [])
        game.page.answer("give up")
        end = game.page.view()
        assert (end["scene"] is not None) == formats.image
        game.page.read_on()


@pytest.mark.parametrize(
    ("asked", "tiling"),
    [
        ({"image_style": "letters"}, None),
        ({"image_coordinates": True}, "square"),
        ({"history_images": 1}, None),
        ({"history_images": 1}, "square"),
    ],
)
def test_a_board_is_drawn_only_where_pictures_look_like_it(asked: dict[str, Any], tiling: str | None) -> None:
    presentation = Presentation(explain="none", **asked)
    with played(begin_game([keyed()], presentation=presentation, tilings=(tiling,))) as game:
        game.page.read_on()
        view = game.page.play([0])
        draws = tiling is not None and "history_images" in asked
        assert [view["scene"] is not None, view["picture"] is None] == [draws, draws]
        shown = [*view["earlier"], *([] if draws else [view["picture"]])]
        assert len(view["earlier"]) == ("history_images" in asked)
        assert all(each.startswith("data:image/png;base64,") for each in shown)
        game.page.answer("give up")
        game.page.read_on()


def test_the_instructions_are_those_that_models_are_given() -> None:
    task = keyed()
    presentation = Presentation(examples=1)
    with played(begin_game([task], presentation=presentation)) as game:
        view = game.page.view()
        told = json.loads(game.page.get("instructions").content)
        assert (view["explained"], view["heading"]) == (True, "How it works")
        backend = make_kernel_backend(None, [], "square")
        backend.configure(task)
        briefing = Briefing.of([task], presentation)
        explained = Explainer(briefing.vocabulary).explain(backend, "full", has_pictures=True)
        assert explained is not None
        assert told["texts"][:2] == [["rules", explained.rules], ["legend", explained.legend]]
        assert told["texts"][2][1].startswith("Other mazes, and how each is solved")
        assert len(told["pictures"]) == len(explained.pictures) + 1
        game.page.read_on()
        game.page.answer("give up")
        game.page.read_on()


def test_practice_comes_first_and_is_not_recorded(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with played(begin_game([keyed()], run, Person("ada", practice=2))) as game:
        headings = []
        view = game.page.read_on()
        while not view.get("final"):
            headings.append(view["heading"])
            game.page.answer("give up")
            view = game.page.read_on()
        assert headings == ["Practice 1 of 2", "Practice 2 of 2", "Maze 1 of 1"]
    assert len(game.outcome.result().results.in_order) == 1
    assert RunDirectory(run).manifest.fingerprint["model"]["arguments"] == ["name=ada", "practice=2"]
    assert invoke(["runs", "verify", run]).exit_code == 0


def test_consent_is_asked_for_first_and_its_version_recorded(tmp_path: Path) -> None:
    text, run = tmp_path / "consent.txt", tmp_path / "run"
    text.write_text("You take part in a study.\n\nYou may stop at any time.", encoding="utf-8")
    with played(begin_game([keyed()], run, Person("ada", consent=text))) as game:
        view = game.page.view()
        assert view["lines"] == ["You take part in a study.", "You may stop at any time."]
        assert [each["label"] for each in view["buttons"]] == ["I agree", "I do not agree"]
        game.page.answer("stop")
        assert game.page.view()["final"]
    assert not game.outcome.result().results.results
    (version,) = [each for each in RunDirectory(run).manifest.fingerprint["model"]["arguments"] if "consent" in each]
    assert version.startswith("consent_hash=")
    text.write_text("You take part in another study.", encoding="utf-8")
    with pytest.raises(ArgumentError, match="differs from the recorded consent text"):
        open_game(run, UNOPENED)


def test_a_maze_that_was_given_up_stays_so_after_the_program_was_killed(tmp_path: Path) -> None:
    """It was ended by nobody: the refusals that were left are made when the run goes on."""
    task, run = keyed(), tmp_path / "run"
    with played(begin_game([task], run)) as game:
        game.page.play([0])
        game.page.answer("give up")
        game.page.read_on()
    (file,) = (run / "episodes").glob("**/*.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:8]), encoding="utf-8")
    (run / "results.json").unlink()
    again, _ = open_game(run, UNOPENED)
    with played(again) as game:
        pass
    (result,) = game.outcome.result().results.in_order
    assert (result.success, result.steps_taken, result.outcomes["refused"]) == (False, 30, 29)


def test_what_cannot_be_served_or_is_no_name_is_refused_before_anything_is_recorded(tmp_path: Path) -> None:
    with played(begin_game([keyed()])) as game:
        taken = PageOptions(port=game.page.port, open=False)
        with pytest.raises(PluginFault, match="choose another --port"):
            _begin_at(taken, tmp_path / "run")
        game.page.read_on()
        game.page.answer("stop")
        game.page.view()
    assert not (tmp_path / "run").exists()
    for name in ("", "a b", "../x", "é", "x" * 65):
        with pytest.raises(ArgumentError, match="name: expected at most 64 letters"):
            begin_game([keyed()], tmp_path / "run", Person(name))


def _begin_at(page: PageOptions, run: Path) -> None:
    from multinet_eval.record.manifest import Suite
    from multinet_eval.settings.run_settings import RunSettings
    from multinet_report.play.game import new_game

    new_game(RunSettings(model=""), Suite("small", (keyed(),)), Person("ada"), page, run)
