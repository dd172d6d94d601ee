"""A run whose first requests failed can be read, with every prompt that was sent."""

import json
from collections import Counter
from pathlib import Path

from support.commands import Finished, multinet, run_eval
from support.model_servers import MODEL, ModelServer, Schedule, write_prompt
from support.pages import ReportPage
from support.task_files import FOR_ANY_BACKEND, write_tasks
from support.thoroughness import first_by_default

ABSURD = 10**400
"""More tokens than a floating-point number can count."""


class FirstFails(Schedule):
    """The first request of every episode fails once."""

    def fault(self, question: tuple[int, int], earlier: int) -> str | None:
        return self.kinds[0] if question[1] == 1 and earlier == 0 else None


@first_by_default("kind", ["overloaded_for_now", "broken", "reset", "hang", "torn", "prose"])
def test_a_run_whose_first_requests_failed_is_read_by_every_command(kind: str, tmp_path: Path) -> None:
    with ModelServer(schedule=FirstFails(kinds=(kind,))) as server:
        played = _play(server, tmp_path)
    assert played.exit_code == 0, played.stderr
    assert_all_prompts_are_shown(server, tmp_path / "run")


def test_an_absurd_count_of_tokens_makes_no_run_unreadable(tmp_path: Path) -> None:
    with ModelServer(schedule=FirstFails(kinds=("huge",)), huge=ABSURD) as server:
        played = _play(server, tmp_path)
    assert (played.exit_code, "Traceback" in played.stderr) == (0, False), played.stderr
    for words in (("runs", "show"), ("runs", "verify"), ("report", "-o", tmp_path / "report.html")):
        finished = multinet(*words, tmp_path / "run")
        assert (finished.exit_code, "Traceback" in finished.stderr) == (0, False), finished.stderr


def assert_all_prompts_are_shown(server: ModelServer, run: Path) -> None:
    """The run is verified, and its page shows the prompt of each request that the server received."""
    verified = multinet("runs", "verify", run, "--json")
    assert (verified.exit_code, json.loads(verified.stdout)["runs"][0]["problems"]) == (0, []), verified.stdout
    reported = multinet("report", run, "-o", run.with_suffix(".html"))
    assert (reported.exit_code, reported.stderr) == (0, "")
    page = ReportPage(run.with_suffix(".html"))
    shown = [prompt for episode in page.runs[0]["episodes"] for prompt, _ in page.requests(episode)]
    assert Counter(shown) == Counter(each.prompt for each in server.received)


def _play(server: ModelServer, folder: Path, *more: str) -> Finished:
    """Record a run of two tasks in ``run``."""
    prices = folder / "prices.toml"
    prices.write_text(f'["openai/{MODEL}"]\ninput = 1.0\noutput = 1.0\n', encoding="utf-8")
    given = (
        f"base_url={server.url}",
        f"model={MODEL}",
        "seed=1",
        f"prompt={write_prompt(folder.parent)}",
        "read_timeout=1",
    )
    arguments = (each for argument in given for each in ("-M", argument))
    tasks = write_tasks(folder / "tasks", FOR_ANY_BACKEND)
    recorded = ("--run-dir", folder / "run", "--prices", prices, "--quiet")
    return run_eval("--task-dir", tasks, "--model", "openai", *arguments, *recorded, *more)
