"""Answers the requests of ``multinet-run-eval --model file`` from another process (docs/reference/file-protocol.md).

It needs Python 3.9 or later and nothing else, so it runs wherever a model runs. In one terminal:

    python examples/answer_files.py FOLDER

and in another:

    multinet-run-eval --model file -M folder=FOLDER

To ask a model of your own, rewrite `ask_my_model` and start this with ``--policy mine``.
"""

import argparse
import json
import os
import random
import sys
import time
from pathlib import Path

SCHEMA_VERSION = 1


def ask_my_model(request, folder):
    """Your model. It gets a request and the folder in which its pictures lie, and gives the fields of an answer.

    The request has the keys ``mission``, ``action_space`` (id to name), ``step``, ``max_steps``, ``history``,
    ``text_observation``, ``correction``, ``legend``, ``rules``, ``image`` and ``prior_images`` (names of PNG files in
    `folder`), ``legend_images`` (each with a ``file`` and a ``label``), and more.

    The answer has an ``action`` (id or name), and may have ``reasoning`` and ``confidence``. Where the model gives no
    usable answer, say so with a ``fault`` and a ``message`` instead of making an action up.
    """
    image = folder / request["image"] if request["image"] else None
    return {"fault": "refused", "message": f"no model has been put in here yet to look at {image}"}


def random_policy(request, folder, seed):
    """Any action, the same one for the same task, seed and step."""
    rng = random.Random(f"{seed}/{request['task_id']}/{request['seed']}/{request['step']}")
    return {"action": rng.choice(sorted(request["action_space"].values()))}


def walk_policy(request, folder, seed):
    """Three steps forward, then a turn to the right."""
    return {"action": "turn_right" if request["step"] % 4 == 3 else "move_forward"}


POLICIES = {
    "random": random_policy,
    "walk": walk_policy,
    "mine": lambda request, folder, seed: ask_my_model(request, folder),
}


def open_requests(folder):
    """The requests in all episodes of all runs that have no answer yet, oldest first."""
    for path in sorted(folder.glob("*/*/request_*.json")):
        number = path.stem.split("_")[1]
        if number.isdigit() and not path.with_name(f"answer_{number}.json").exists():
            yield path


def write_whole(path, contents):
    """Write a file under another name and rename it, so that nobody sees half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_text(json.dumps(contents) + "\n", encoding="utf-8")
    temporary.replace(path)


def answer(path, policy, seed):
    """Answer one request."""
    request = json.loads(path.read_text(encoding="utf-8"))
    if request["schema_version"] != SCHEMA_VERSION:
        sys.exit(f"{path}: this program speaks version {SCHEMA_VERSION}, not {request['schema_version']}")
    said = POLICIES[policy](request, path.parent, seed)
    # The answer repeats the id of its request, so that it is never taken for the answer to another one.
    echo = {"schema_version": SCHEMA_VERSION, "request_id": request["request_id"]}
    write_whole(path.with_name(request["answer_file"]), {**echo, **said})


def parse_arguments():
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description="Answer the requests of 'multinet-run-eval --model file -M folder=FOLDER', until Ctrl-C.",
        epilog="To ask a model of your own, rewrite ask_my_model() in this file and use --policy mine.",
    )
    parser.add_argument("folder", type=Path, help="the folder of the requests; it need not exist yet")
    parser.add_argument(
        "--policy", choices=sorted(POLICIES), default="random", help="how requests are answered (default: random)"
    )
    parser.add_argument("--seed", type=int, default=0, help="the seed of the random policy (default: 0)")
    parser.add_argument(
        "--poll",
        type=float,
        default=0.05,
        metavar="SECONDS",
        help="how long to wait before the folder is searched again (default: 0.05)",
    )
    return parser.parse_args()


def main():
    """Answer until Ctrl-C."""
    arguments = parse_arguments()
    answered = 0
    try:
        while True:
            for path in open_requests(arguments.folder):
                answer(path, arguments.policy, arguments.seed)
                answered += 1
            time.sleep(arguments.poll)
    except KeyboardInterrupt:
        sys.stdout.write(f"answered {answered} requests\n")


if __name__ == "__main__":
    main()
