"""The schema in which answers are requested is part of a run's fingerprint."""

import json
from pathlib import Path

from support.commands import multinet, run_eval
from support.model_servers import ChatServer, model_arguments, said
from support.task_files import write_corridors


def of_an_earlier_version(folder: Path, server: ChatServer, *arguments: str) -> Path:
    """A run, left after a request, that does not say in which schema answers are requested."""
    tasks, run = write_corridors(folder / "tasks", 3, max_steps=3), folder / "run"
    played = ("--task-dir", tasks, "--run-dir", run, "--observation", "text", "--max-requests", "1")
    run_eval(*model_arguments(server.url), *played, *arguments)
    path = run / "run.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["fingerprint"]["model"].pop("answer_schema", None)
    path.write_text(json.dumps(manifest), encoding="utf-8")
    return run


def test_a_run_that_was_begun_under_another_schema_is_not_gone_on_with(tmp_path: Path) -> None:
    with ChatServer(lambda body, number: said("turn_left")) as server:
        run = of_an_earlier_version(tmp_path, server)
        resumed = multinet("runs", "resume", run, "--max-requests", "none")
        assert (resumed.exit_code, len(server.bodies)) == (1, 1)
        assert "model.answer_schema: nothing in the run" in resumed.stderr
        verified = multinet("runs", "verify", run, "--json")
        assert json.loads(verified.stdout)["runs"][0]["consistent"] is True


def test_a_run_without_a_schema_is_gone_on_with(tmp_path: Path) -> None:
    with ChatServer(lambda body, number: said(text="Action: turn_left")) as server:
        run = of_an_earlier_version(tmp_path, server, "-M", "structured=false")
        assert multinet("runs", "resume", run, "--max-requests", "none").exit_code == 0
