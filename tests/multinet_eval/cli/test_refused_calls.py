"""Calls that cannot be: message and exit code of every command, and no file left behind."""

import shlex
from pathlib import Path

import attrs
import pytest

from gridworld.plugins import load_registry
from multinet_eval.cli.plugins.new import TRY_OUT
from support.commands import run
from support.programs import assert_refused
from support.runs import record_run, write_corridor, write_task
from support.worlds import corridor, describe, door, key, switch

EVAL = "eval -m random --task-dir small"
WRONG_CALLS: list[tuple[str, ...]] = [
    ("", "Missing command"),
    ("evaluate", "No such command 'evaluate'", "eval"),
    # What is played
    ("eval --task-dir small", "Missing option '--model'"),
    ("eval -m randm", "error: unknown model 'randm' (did you mean 'random'?); installed: MODELS", "plugins list"),
    ("eval -m random --backend minigird", "(did you mean 'minigrid'?); installed: BACKENDS"),
    ("eval -m random -b validation_01", "unknown benchmark 'validation_01' (did you mean 'validation_10'?)"),
    ("eval -m random -b small", "--benchmark: small is a folder", "use --task-dir small"),
    ("eval -m random -b small/a_short.json", "a_short.json is a file", "use --task-dir, which takes a folder"),
    ("eval -m random -b directory", "--benchmark directory needs --task-dir"),
    ("eval -m optimal -b tiers/t1_01_open_rom", "of tiers 't1_01_open_rom' (did you mean 't1_01_open_room'?)"),
    ("eval -m random --task-dir nowhere", "nowhere is not a usable suite of tasks:", "no such folder"),
    ("eval -m random --task-dir empty", "no task files (*.json with a maze) in it"),
    ("eval -m random --task-dir won", "won.json: goal", "at the start"),
    ("eval -m random --task-dir twins", "other.json: task_id: 'same' is already the id of one.json"),
    (f"{EVAL} --benchmark validation_10", "--task-dir and --benchmark 'validation_10' exclude each other"),
    (f"{EVAL} --tier two", "--tier: expected numbers or ranges such as 2, 1-3 or 1,4, got 'two'"),
    (f"{EVAL} --tier 1-", "--tier: expected numbers or ranges", "got '1-'"),
    (f"{EVAL} --tier 3-1", "--tier: the range 3-1 is empty"),
    (f"{EVAL} --tier 7", "--tier 7: 'small' has no such tier; it has 1, 2, 3"),
    (f"{EVAL} --backend minigrid --tiling hex", "backend 'minigrid' (gridworld-minigrid) does not lay out"),
    (f"{EVAL} --tiling trangle", "unknown tiling 'trangle'", "did you mean 'triangle'?"),
    (f"{EVAL} --backend multigrid -B tiling=trangle", "unknown tiling 'trangle'", "did you mean 'triangle'?"),
    (f"{EVAL} --budget-factor 0.9", "budget factor: expected a number of at least 1"),
    (f"{EVAL} --disable-plugin gridworld-mingrid", "unknown plugin 'gridworld-mingrid'", "'gridworld-minigrid'"),
    # Arguments of models and backends
    (f"{EVAL} -M sed=3", "model 'random' has no argument 'sed' (did you mean 'seed'?); it takes: seed"),
    (f"{EVAL} -M seed", "model 'random': expected key=value, got 'seed'"),
    (f"{EVAL} -M seed=three", "model 'random': argument 'seed': expected int, got 'three'"),
    (f"{EVAL} -M seed=1 -M seed=2", "model 'random': argument 'seed' is given twice"),
    (f"{EVAL} -B tile_sise=16", "backend 'minigrid' has no argument 'tile_sise' (did you mean 'tile_size'?)"),
    (f"{EVAL} -B tile_size=2", "backend 'minigrid': tile_size must be at least 8 pixels, got 2"),
    (f"{EVAL} -B render_mode=human", "argument 'render_mode': expected one of rgb_array", "none", "got 'human'"),
    ("eval -m openai:a -M model=b", "'openai:a' and -M model exclude each other: leave out one of them"),
    ("eval -m openai --base-url x -M base_url=y", "--base-url and -M base_url exclude each other"),
    ("eval -m openai:", "model 'openai:': expected a name after the colon"),
    ("eval -m random:a", "model 'random' has no argument 'model'"),
    ("models check olama", "unknown model 'olama' (did you mean 'ollama'?)"),
    ("models check ollama", "model 'ollama' needs the argument model"),
    ("models check ollama -M model=x -M base_url=localhost", "base_url: expected an address such as http://"),
    ("models check openai -M model=x", "needs the argument base_url: give --base-url URL"),
    ("models check openai", "needs the arguments model, base_url: give openai:NAME --base-url URL"),
    ("models check", "Missing argument 'NAME'"),
    # What a model is shown and how it answers
    (f"{EVAL} --examples-from tiers", "--examples-from has no effect without --examples"),
    (f"{EVAL} --examples 1 --examples-from tirs", "unknown benchmark 'tirs' (did you mean 'tiers'?)"),
    (f"{EVAL} --examples 99", "examples: 99 requested, but 'worked_examples' has only"),
    (f"{EVAL} --examples -1", "Invalid value for '--examples'"),
    (f"{EVAL} --observation maps", "unknown observation 'maps' (did you mean 'map'?)"),
    (f"{EVAL} --history-text-window 0", "Invalid value for '--history-text-window'"),
    (f"{EVAL} --on-unparsable retry", "--on-unparsable: expected skip, fail, retry:N", "got 'retry'"),
    (f"{EVAL} --on-refused retry:-1", "--on-refused: expected skip, fail, retry:N", "got 'retry:-1'"),
    (f"{EVAL} --on-illegal ''", "--on-illegal: expected skip, fail, retry:N", "got ''"),
    (f"{EVAL} --on-infrastructure skip", "--on-infrastructure: expected retry:N or fail, got 'skip'"),
    # Where results go, and what they cost
    (f"{EVAL} -o no/results.json", "--output: the folder no does not exist"),
    (f"{EVAL} -o .", "--output: . is a folder, expected a file name"),
    (f"{EVAL} --sed 1", "No such option", "--sed", "--seed"),
    (f"{EVAL} --cache-sampled", "--cache-sampled needs --cache DIR"),
    (f"{EVAL} --cache file", "--cache: file is not a folder"),
    (f"{EVAL} --cache new", "the answers of model 'random' cannot be kept in a cache"),
    (f"{EVAL} --no-record --report x.html", "--report needs a recorded run"),
    (f"{EVAL} --run-dir new --report none/x.html", "--report: the folder"),
    # Probes and prompts
    ("probe small --model random", "model 'random' only chooses actions"),
    ("diagnose small --model random", "model 'random' only chooses actions"),
    ("probe small --model random --probe poze", "unknown probe 'poze' (did you mean 'pose'?)"),
    ("probe small --model random --context conversation", "context: each question of a probe stands alone"),
    ("probe small", "expected SUITE and --model"),
    ("diagnose small -m openai:m --base-url http://127.0.0.1:9 --max-cost 1", "--max-cost needs the prices of"),
    ("diagnose foggy -m openai:m --base-url http://127.0.0.1:9", "not fully observable: foggy"),
    ("prompts show small/b_door.json -m random", "error: model 'random' has no prompt to show"),
    ("prompts show small/b_door.json -m ollama:m --step 6", "the shortest plan of 'b_door' ends the episode after 6"),
    ("prompts show small/b_door.json -m ollama:m --step -1", "Invalid value for '--step'"),
    ("prompts show small/b_door.json -m ollama:m -B render_mode=none", "observes nothing", "RGB picture"),
    ("prompts show small/b_door.json -m ollama:m -M prompt=standart", "(did you mean 'standard'?)"),
    ("prompts show small/b_door.json -m ollama:m -M api_key_env=NOT_SET_HERE", "variable 'NOT_SET_HERE' is not set"),
    # Plugins
    ("plugins check -M file=x", "-M needs the name of one model", "models under 'everything'"),
    ("plugins check blocks -M file=x", "models under 'blocks': none"),
    ("plugins check replay -M fiel=x", "model 'replay' has no argument 'fiel' (did you mean 'file'?)"),
    ("plugins check rugz", "unknown plugin or provided thing 'rugz'"),
    ("plugins show trianlge", "unknown plugin or provided thing 'trianlge'", "triangle"),
    ("plugins show", "Missing argument 'NAME'"),
    ("plugins new model ''", "'' cannot name a distribution"),
    ("plugins new model x-", "'x-' cannot name a distribution; expected letters"),
    ("plugins new model ../escape", "cannot name a distribution"),
    ("plugins new model über", "cannot name a distribution"),
    ("plugins new model 3d", "its import package would be '3d', which Python cannot import"),
    ("plugins new model class", "its import package would be 'class', which Python cannot import"),
    ("plugins new model Gridworld", "an import package 'gridworld' already exists"),
    ("plugins new model optimal", "there is a model 'optimal' already; choose another name"),
    ("plugins new modle mine", "unknown kind of plugin 'modle' (did you mean 'model'?)", *TRY_OUT),
    ("plugins new model mine -o nowhere", "the folder nowhere does not exist"),
    *((f"plugins new model {name}", f"{name} exists already") for name in ("bad.txt", "empty", "link")),
    # Tasks and suites
    *(
        (f"tasks {command}", "no such file or folder, and no suite of that name is installed (did you mean 'tiers'?)")
        for command in ("list tires", "gallery tires -o x.html", "demos tires -o out", "validate tires", "seal tires")
    ),
    *(
        (f"tasks {command}", "no task files (*.json with a maze) in it")
        for command in ("list empty", "gallery empty -o x.html", "demos empty -o out")
    ),
    *(
        (f"tasks {command}", "x.json: cannot be read")
        for command in ("list linked", "gallery linked -o x.html", "demos linked -o out")
    ),
    (f"tasks list {'a' * 300}", "no such file or folder"),
    ("tasks show nowhere.json", "nowhere.json: No such file or directory", "tiers, validation_10"),
    ("tasks show folder.png", "it is a folder, expected a regular file"),
    ("tasks solve odd/broken.json", "broken.json is not a task specification:", "line 1, column 4"),
    ("tasks solve odd/impossible.json", "is not a valid task:", "max_steps: must be at least 1", "rules.view_size: "),
    ("tasks show odd/half.json", "description: ", "is not valid Unicode text"),
    ("tasks render tiers/t1_01_open_rom -o x.png", "task of tiers", "did you mean 't1_01_open_room'?"),
    ("tasks render tires/t1_01_open_room -o x.png", "tires", "did you mean 'tiers'?"),
    ("tasks show validation_10/", "validation_10 is a suite; a task is validation_10/TASK_ID"),
    ("tasks solve won/won.json", "goal", "at the start"),
    ("tasks validate", "Missing argument"),
    ("tasks validate --max-states 0 small", "Invalid value for '--max-states'"),
    ("tasks validate small --workers 0", "Invalid value for '--workers'"),
    ("tasks validate small nowhere", "no such file or folder"),
    ("tasks validate small --tiling hexx", "unknown tiling 'hexx' (did you mean 'hex'?)"),
    ("tasks validate noted", "no tasks (JSON files with a maze) in noted"),
    ("tasks upgrade small nowhere", "nowhere: no such file or folder"),
    ("tasks render small/b_door.json -o x.png --backend minigird", "did you mean 'minigrid'?"),
    ("tasks render small/b_door.json -o x.gif --milliseconds 1", "--milliseconds"),
    ("tasks render small/b_door.json", "--output"),
    *((f"tasks render nowhere.json -o {name}", f"in .png, .gif or .webp, got {name}") for name in ("x.jpg", "x")),
    ("tasks render nowhere.json -o no/x.png", "--output: the folder no does not exist"),
    ("tasks render nowhere.json -o folder.png", "folder.png is a folder, expected a file name"),
    ("tasks demos small", "--output"),
    ("tasks demos small -o out --format hdf5", "--format"),
    ("tasks demos small -o out --overwrite", "--overwrite needs --format minari"),
    ("tasks demos small -o out --pictures", "--pictures needs --format minari"),
    ("tasks generate perfect_maz -o out", "unknown generator 'perfect_maz' (did you mean 'perfect_maze'?)"),
    ("tasks generate perfect_maze -o out -P siz=9", "has no parameter 'siz' (did you mean 'size'?)"),
    ("tasks generate perfect_maze -o out -P size", "--param: expected key=value, got 'size'"),
    ("tasks generate perfect_maze -o out --size 9 -P size=9", "--param: size is given twice"),
    ("tasks generate perfect_maze -o out --length 40-20", "the band 40-20 is empty"),
    ("tasks generate perfect_maze -o out --tilings hexx", "unknown tiling 'hexx' (did you mean 'hex'?)"),
    ("tasks generate perfect_maze -o out --budget-factor 0.5", "'budget_factor' must be >= 1"),
    ("tasks generate perfect_maze -o out --budget-factor inf", "'budget_factor' must be <= 1000: inf"),
    ("tasks generate perfect_maze -o out --salt-file nowhere", "nowhere: No such file or directory"),
    ("tasks generate validation_10 -o out", "'validation_10' is a suite of files; nothing to generate"),
    ("tasks generate nowhere.toml -o out", "nowhere.toml: there is no such file"),
    ("tasks generate sets.toml -o out --count 3", "recipes set number and properties of tasks"),
    ("tasks generate sets.toml -o out", "base 'perfect_maze' has no argument 'depht' (did you mean 'depth'?)"),
    ("tasks generate perfect_maze -o small", "this task does not belong to the recipe"),
    ("tasks generate perfect_maze -o odd", "report.json: not a report of generated tasks"),
    ("tasks generate perfect_maze", "expected FAMILY and --output DIR, or --list"),
    ("tasks generate -o out", "expected FAMILY and --output DIR, or --list"),
    ("tasks seal small/a_short.json", "small/a_short.json: is a file, expected a folder of task files"),
    ("tasks seal small --check abc", "expected 64 hexadecimal digits, got 'abc'"),
    ("tasks import sokobam levels.txt -o out", "unknown importer 'sokobam' (did you mean 'sokoban'?)"),
    ("tasks import sokoban nowhere -o out", "nowhere: no such file or folder"),
    ("tasks import sokoban empty -o out", "empty: no levels (*.txt, *.xsb, *.sok) in it"),
    ("tasks import sokoban bad.txt -o out", "bad.txt: no level in it; rows of a level consist of"),
    ("tasks import ascii drawing.txt -o out", "line 2, column 3: 'A' is not explained"),
    ("tasks import sokoban levels.txt -o levels.txt", "--output:", "is a file, expected a folder"),
    ("tasks import sokoban levels.txt -o out --seeds 1", "has no argument 'seeds'; it takes: max_states"),
    ("tasks import minigrid MiniGrid-Empty-5x5-v0 -o out --seeds 9-1", "importer 'minigrid': the band 9-1 is empty"),
    ("tasks import minigrid MiniGrid-Empty-5x5-v0 -o out -I sead=1", "did you mean 'seeds'?"),
    ("tasks import minigrid MiniGrid-Empty-5x5-v0 -o out --tilings hexx", "unknown tiling 'hexx'"),
    ("tasks import minigrid MiniGrid-Emty-5x5-v0 -o out", "did you mean 'MiniGrid-Empty-5x5-v0'?"),
    ("tasks import minigrid MiniGrid-Empty-5x5-v0 -o out --seeds 1,1", "several levels have the id", "-5x5-v0-1'"),
    # Recorded runs
    *(
        (command, "empty is not a recorded run")
        for command in (
            *("runs show empty", "runs verify walked empty", "calibrate empty", "compare walked empty"),
            *("leaderboard walked empty", "runs export empty --format csv -o x", "runs render empty 0 -o x.gif"),
        )
    ),
    ("runs list --runs file", "error: --runs: file is a file, expected a folder"),
    ("runs export walked -o x.xls", "a name ending in .csv, .jsonl, .parquet, or --format, got x.xls"),
    ("runs export walked --format csv -o x.jsonl", "--format csv: x.jsonl ends as a jsonl file does"),
    ("runs export walked --format xls -o x", "'xls' is not one of"),
    ("runs export walked --format csv -o empty", "is a folder, expected a file name"),
    ("runs export walked --format csv -o nowhere/x", "does not exist"),
    ("runs render walked 3 -o x.gif", "no episode 3: expected a number from 0 to 2"),
    ("runs render walked 0 -o x.png", "expected a name ending in .gif or .webp, got x.png"),
    ("runs render walked 0 -o folder.gif", "is a folder, expected a file name"),
    ("runs render walked 0 -o x.gif -B tile_sise=8", "tile_sise"),
    ("runs rescore walked --json --csv", "--json and --csv exclude each other"),
    ("runs rescore walked --all --metric spl", "--metric and --all exclude each other"),
    ("runs rescore walked --metric sucess", "unknown metric 'sucess' (did you mean 'success'?)"),
    ("compare", "Missing argument"),
    ("compare walked", "expected at least 2 runs, got 1"),
    ("compare walked walked", "is given 2 times"),
    ("compare walked other --json --csv", "--json and --csv exclude each other"),
    ("compare walked other --score succes", "did you mean 'success'?"),
    ("compare walked --by variant", "at least two variants", "no task is one"),
    ("leaderboard walked other -o file", "error: --output: file is a file, expected a folder"),
    ("leaderboard walked --html", "name the folder for them with --output"),
]  # fmt: skip
"""Each a command, and what is said in this order; MODELS and BACKENDS stand for what is installed."""
FAILURES: list[tuple[str, ...]] = [
    ("runs rescore unfinished", "; 'multinet runs resume unfinished' resumes it"),
    ("runs render changed 1 -o x.gif", "is another episode than was recorded from step 2"),
    ("prompts show walled.json -m ollama:m --step 1", "no plan for the task 'walled': it cannot be won"),
    ("prompts show small/a_short.json -m ollama:m --images file", "cannot write the pictures into file: File exists"),
    ("tasks render walled.json -o x.gif", "no plan for the task 'walled': it cannot be won"),
    ("tasks render small/b_door.json -o x.gif --max-states 2", "the solver gave up after 2 states; raise --max-states"),
    (f"tasks render small/b_door.json -o {'x' * 251}.png", "error: cannot write", "File name too long"),
    ("tasks demos small -o linked", "the folder linked is not empty"),
    ("tasks demos small -o file/demos", "error: cannot write", "Not a directory"),
    ("tasks schema -o nowhere/task.json", "cannot write", "task.json: the folder does not exist"),
    (f"plugins new model {'a' * 260}", "cannot write"),
]
"""As `WRONG_CALLS`, with exit code 1."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The current folder of all commands: tasks and suites, good and bad, recorded runs, and files that are neither."""
    place = tmp_path_factory.mktemp("place")
    write_corridor(place / "small", "a_short", "@.G", tier=1)
    write_corridor(place / "small", "b_door", "@kD.G", tier=2, max_steps=30, k=key(), D=door("red"))
    write_corridor(place / "small", "c_long", "@...G", tier=3, max_steps=30)
    write_corridor(place, "walled", "@.#G")
    write_corridor(place / "foggy", "foggy", rules={"observability": "fog_of_war"})
    write_corridor(place / "twins", "same", file="one.json")
    write_corridor(place / "twins", "same", file="other.json")
    write_corridor(place / "linked", "good")
    (place / "linked" / "x.json").symlink_to("nowhere")
    room = describe("#####\n#@sG#\n#####", s=switch(initial_state="on"))
    write_task(place / "won", room | {"goal": {"type": "collect_all", "target_ids": ["s"]}}, "won.json")
    write_task(place / "odd", room | {"max_steps": 0, "rules": {"view_size": 4}}, "impossible.json")
    write_task(place / "odd", room | {"description": "half \ud800"}, "half.json")  # JSON can hold half of a pair
    for name in ("empty", "noted", "folder.gif", "folder.png"):
        (place / name).mkdir()
    (place / "link").symlink_to("nowhere")
    for name, text in {
        "file": "",
        "noted/other.json": '{"a": 1}',
        "odd/broken.json": "[1,",
        "odd/report.json": '{"mine": 1}',
        "levels.txt": "######\n#@$ .#\n######\n",
        "bad.txt": "#1 easy\nbob\n",
        "drawing.txt": "#####\n#>A.#\n#####\n",
        "sets.toml": '[[recipes]]\nfamily = "sight"\ncount = 1\nsize = 7\nbase = "perfect_maze:depht=1"\n',
    }.items():
        (place / name).write_text(text, encoding="utf-8")
    tasks = [attrs.evolve(corridor("@..G"), task_id=name) for name in ("one", "two", "three")]
    for name in ("walked", "other", "changed"):
        record_run(place / name, tasks, "FFF")
    record_run(place / "unfinished", tasks, "FFF", requests=4)
    file = place / "changed" / "episodes" / "1.jsonl"
    text = file.read_text(encoding="utf-8")
    first, second, *_ = (line.split('"digest":"')[1][:16] for line in text.splitlines() if line.startswith('{"step"'))
    file.write_text(text.replace(second, first), encoding="utf-8")
    return place


def installed(kind: str) -> str:
    (catalog,) = (catalog for catalog in load_registry().catalogs if catalog.kind == kind)
    return ", ".join(catalog.names())


def files_in(place: Path) -> list[Path]:
    """All files but those that reading commands keep beside a run."""
    return sorted(path for path in place.rglob("*") if not path.name.startswith("derived."))


@pytest.mark.parametrize(
    ("command", "told", "exit_code"),
    [
        pytest.param(command, told, exit_code, id=f"{command[:60]}: {told[0][:40]}")
        for exit_code, calls in ((2, WRONG_CALLS), (1, FAILURES))
        for command, *told in calls
    ],
)
def test_the_message_says_why_and_no_file_is_left(place: Path, command: str, told: list[str], exit_code: int) -> None:
    before = files_in(place)
    finished = run("multinet", *shlex.split(command), cwd=place)
    for kind in ("model", "backend"):
        told = [each.replace(f"{kind.upper()}S", installed(kind)) for each in told]
    assert_refused(finished, *told, exit_code=exit_code)
    assert files_in(place) == before
