"""Damaged and hostile folders: a folder is changed in one place, chosen by a number."""

import json
import os
import random
import shutil
import socket
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

CANARY = "canary-5f0c31"
"""Content of all files outside, which no output may show."""
SCRIPT = "</script><script>alert(1)</script>"
"""A text that a page must not hold as it is."""
FREE_TEXTS = ("description", "suite", "benchmark_name", "mission", "task_id", "model_name", "reasoning")
DEEP = 100_000
NESTED = "[" * DEEP + "]" * DEEP
NESTED_OBJECTS = '{"a":' * DEEP + "1" + "}" * DEEP
SPARSE = 10 * 2**30
"""Size of files that hold nothing but a hole."""
NUMBERS = (
    *("0", "-1", "1", "7", "true", "false", "null", "1e308", "-1e308", "1e999", "NaN", "-Infinity", "0.5"),
    *(f"1{zeros * '0'}" for zeros in (12, 19, 400, 5000)),
)
"""JSON texts."""
CONTENTS: Sequence[bytes] = (
    *(b"", b"\n", b"{}", b"[]", b"null", b"0", b'"', b"\0" * 64, b"\xff\xfe{}", b"\xef\xbb\xbf{}"),
    *(NESTED.encode(), b"[" * DEEP, NESTED_OBJECTS.encode(), b'{"a":' * DEEP, b'{"a":1}\n[2]\n3\nnull\n'),
)
LINES = (".jsonl", ".toml")
TEXTS = (".json", *LINES)
"""Endings of files whose values are changed."""


def fill_outside(folder: Path, outside: Path) -> None:
    """Put what a folder holds outside, too, with the canary in it, and files of usual names and endings."""
    shutil.copytree(folder, outside)
    for path in list(outside.rglob("*")):
        if path.suffix in (".json", ".jsonl", ".txt"):
            path.write_text(_with_canary(path), encoding="utf-8")
    for ending in ("", ".txt", ".json", ".jsonl", ".png"):
        (outside / f"secret{ending}").write_text(json.dumps({"description": CANARY}), encoding="utf-8")


def _with_canary(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".txt":
        return f"{text}\n{CANARY}\n"
    whole = [text] if path.suffix == ".json" else text.splitlines()
    return "".join(json.dumps(_marked(value)) + "\n" for each in whole for value in _parsed(each))


def _parsed(text: str) -> list[Any]:
    """The value of a JSON text in a list; empty for another text."""
    try:
        return [json.loads(text)]
    except ValueError:
        return []


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        marked = {name: _marked(each) for name, each in value.items()}
        return marked | {name: CANARY for name in FREE_TEXTS if isinstance(value.get(name), str)}
    return [_marked(each) for each in value] if isinstance(value, list) else value


def mutate(folder: Path, number: int, outside: Path) -> str:
    """Change a folder in one place; in words, what was changed.

    Args:
        folder: the folder.
        number: chooses the change.
        outside: folder beside the parent of `folder`, to which changed names and links lead.
    """
    rng = random.Random(f"mutant {number}")
    rounds, place = divmod(number, len(ORDER))
    kind = ORDER[place]
    turn = rounds * ORDER.count(kind) + ORDER[:place].count(kind)
    return f"{number} {kind}: {KINDS[kind](folder, turn, outside, rng)}"


def _files(folder: Path, *endings: str) -> list[Path]:
    """Files with one of some endings, or all, with every kind of file equally likely."""
    found = sorted(path for path in folder.rglob("*") if path.is_file() and (path.suffix in endings or not endings))
    folders = sorted({path.parent for path in found})
    return [path for each in folders for path in [*(path for path in found if path.parent == each)][:2]]


def _texts(outside: Path) -> list[str]:
    """Strings, among them ways to lead to files outside, which are two folders above a file of a run."""
    ways = [str(outside / "secret"), str(outside / "secret.json"), str(outside)]
    ways += [f"{above}{outside.name}/secret" for above in ("../", "../../", "../../../", "../../../../")]
    ways += [f"../../{outside.name}/secret.txt", "../run.json", "../../run.json"]
    odd = ["", " ", ".", "..", "/", "/etc/hostname", "\0", "\ud800", "\r\n", "\x1b]0;title\x07\x1b[2J", "[red]"]
    return [*ways, *ways, *odd, "x" * 5000, "x" * 10**6, SCRIPT, "random", "0" * 16, "f" * 32]


def _value(folder: Path, number: int, outside: Path, rng: random.Random) -> str:
    """Put another value in the place of one, or take it away."""
    described = [path for path in folder.iterdir() if path.suffix == ".json"]  # these say the most
    path = rng.choice([*_files(folder, *TEXTS), *described * 4])
    text = path.read_text(encoding="utf-8")
    whole = [text] if _parsed(text) else text.splitlines()
    line = rng.choice([at for at, each in enumerate(whole) if each[:1] in "{[" and _parsed(each)] or [0])
    holder = _parsed(whole[line]) or [whole[line]]
    said = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(holder))
        container, name = rng.choice(places[1:] or places or [({"": None}, "")])
        said.append(f"{name}: {_change(container, name, outside, rng)}")
    changed = json.dumps(holder[0]) if holder else ""
    for marker, literal in _LITERALS.items():
        changed = changed.replace(f'"{marker}"', literal)
    whole[line] = changed
    path.write_text("\n".join(_signed(whole)) + "\n", encoding="utf-8")
    return f"{path.relative_to(folder)} line {line + 1} {'; '.join(said)}{_named_anew(folder, path)}"


def _signed(lines: list[str]) -> list[str]:
    """Let the digest in an entry of the answer cache match the answer."""
    if len(lines) == 2 and len(lines[0]) == 40:
        lines[0] = blake2b(lines[1].encode(), digest_size=20).hexdigest()
    return lines


def _named_anew(folder: Path, path: Path) -> str:
    """Let the name of a kept file, and what names it, match its content."""
    if path.parent.name not in ("scenes", "texts"):
        return ""
    digest = blake2b(path.read_bytes(), digest_size=8).hexdigest().encode()
    for each in folder.rglob("*.json*"):
        each.write_bytes(each.read_bytes().replace(path.stem.encode(), digest))
    path.rename(path.with_stem(digest.decode()))
    return ", named anew"


_LITERALS = {f"literal-{position}": literal for position, literal in enumerate((*NUMBERS, NESTED, NESTED_OBJECTS))}


def _change(container: Any, name: Any, outside: Path, rng: random.Random) -> str:
    present = container[name]
    if rng.random() < 0.15:
        del container[name]
        return "taken away"
    if rng.random() < 0.1 and isinstance(container, dict):
        container[new := rng.choice([*_texts(outside), "version", "number"])] = container.pop(name)
        return f"named {new[:30]!r}"
    if rng.random() < 0.15 and isinstance(present, dict | list):
        swapped = list(present.values()) if isinstance(present, dict) else dict(enumerate(present))
        container[name] = swapped
        return "list and object swapped"
    if isinstance(present, str) and rng.random() < 0.8:
        container[name] = rng.choice(_texts(outside))
    elif rng.random() < 0.5:
        container[name] = rng.choice(list(_LITERALS))
    else:
        container[name] = rng.choice([*_texts(outside), [], {}, [[]], {"text": str(outside / "secret")}, [present] * 3])
    return _LITERALS.get(str(container[name]), repr(container[name]))[:60]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a value: container, and key or index."""
    for name in value if isinstance(value, dict) else range(len(value)):
        yield value, name
        if isinstance(value[name], dict | list):
            yield from _places(value[name])


def _digest(folder: Path, number: int, outside: Path, rng: random.Random) -> str:
    """Let what names a kept file name one outside."""
    path = rng.choice(_files(folder, *TEXTS))
    text = path.read_text(encoding="utf-8")
    kept = sorted({each.stem for each in folder.glob("*/*.*") if each.stem in text and len(each.stem) >= 16})
    if not kept:
        return _value(folder, number, outside, rng)
    named, way = rng.choice(kept), rng.choice(_texts(outside)[:10])
    path.write_text(text.replace(named, json.dumps(way)[1:-1]), encoding="utf-8")
    return f"{path.relative_to(folder)} {named} -> {way}"


def _line(folder: Path, number: int, outside: Path, rng: random.Random) -> str:
    """Drop, repeat or move a line, or another file's line, or cut one."""
    path = rng.choice(_files(folder, *LINES) or _files(folder))
    lines = path.read_bytes().splitlines(keepends=True) or [b":"]
    at = rng.randrange(len(lines))
    change = rng.choice(("drop", "repeat", "move", "cut", "spoil", "repeat often", "prolong"))
    if change == "drop":
        del lines[at]
    elif change == "move":
        lines.insert(rng.randrange(len(lines)), lines.pop(at))
    elif change == "cut":
        lines[at] = lines[at][: len(lines[at]) // 2]
    elif change == "spoil":
        lines[at] = lines[at].replace(b":", rng.choice((b"\0", b"\xff", b"::", b",")), 1)
    elif change == "prolong":
        lines[at] = lines[at].replace(b":", b":" + b" " * 20_000_000, 1)
    else:
        lines[at] *= 2 if change == "repeat" else 500
    path.write_bytes(b"".join(lines))
    return f"{path.relative_to(folder)} line {at + 1} {change}"


def _content(folder: Path, number: int, outside: Path, rng: random.Random) -> str:
    """Put something else in a file."""
    path = rng.choice(_files(folder))
    content = rng.choice(CONTENTS)
    path.write_bytes(content)
    return f"{path.relative_to(folder)} {content[:20]!r}{_named_anew(folder, path)}"


def _kind(folder: Path, number: int, outside: Path, rng: random.Random) -> str:
    """Put another kind of file in the place of a file or folder; in turn, each kind in each place."""
    paths = sorted({*folder.iterdir(), *_files(folder), *folder.rglob("*.jsonl")})
    if (folder / "run.json").exists():
        added = ("lock", "frames", "sessions", "episodes/2.jsonl", "episodes/0.2.jsonl", "frames/x.png")
        paths += [folder / name for name in added]
    types = list(TYPES)
    at = (number * 7 + number // (len(paths) * len(types))) % (len(paths) * len(types))
    path, name = paths[at % len(paths)], types[at // len(paths)]
    path.parent.mkdir(exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    there = outside / path.relative_to(folder)
    TYPES[name](path, there if there.exists() else outside, outside / "new")
    return f"{path.relative_to(folder)} {name}"


def _socket(path: Path, *_: Path) -> None:
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as opened:
        os.chdir(path.parent)  # addresses are short
        opened.bind(path.name)
        os.chdir(here)


def make_sparse(path: Path, *_: Path) -> None:
    """Make a file of `SPARSE` bytes that takes no room."""
    path.touch()
    os.truncate(path, SPARSE)


TYPES: dict[str, Callable[[Path, Path, Path], object]] = {
    "link outside": lambda path, there, new: path.symlink_to(there),
    "relative link outside": lambda path, there, new: path.symlink_to(os.path.relpath(there, path.parent)),
    "link to a new file outside": lambda path, there, new: path.symlink_to(new),
    "link to itself": lambda path, there, new: path.symlink_to(path),
    "link to its folder": lambda path, there, new: path.symlink_to(path.parent),
    "link to a device": lambda path, there, new: path.symlink_to("/dev/zero"),
    "pipe": lambda path, there, new: os.mkfifo(path),
    "socket": _socket,
    "folder": lambda path, there, new: path.mkdir(),
    "empty file": lambda path, there, new: path.touch(),
    "unreadable file": lambda path, there, new: path.touch(0),
    "sparse file": make_sparse,
}
"""Replacements of a file: called with its path, its counterpart outside, and a new path there."""
NAMES = ("x" * 240, "\udcff\udcfe", "a\nb", "\x1b[2J", " ", "-rf", "\u202e", "0" * 16, "999999999")


def _name(folder: Path, number: int, outside: Path, rng: random.Random) -> str:
    """Give a file or folder another name, or make another one beside it."""
    path = rng.choice([*_files(folder), *folder.iterdir()])
    name = rng.choice(NAMES) + rng.choice(("", path.suffix))
    if rng.random() < 0.5:
        path.rename(path.with_name(name))
        return f"{path.relative_to(folder)} renamed to {name[:20]!r}"
    if path.is_dir():
        shutil.copytree(path, path.with_name(name))
    else:
        path.with_name(name).write_bytes(path.read_bytes())
    return f"{path.relative_to(folder)} copied to {name[:20]!r}"


def _size(folder: Path, number: int, outside: Path, rng: random.Random) -> str:
    """Make a file shorter or longer."""
    path = rng.choice(_files(folder))
    content = path.read_bytes()
    change = rng.choice(("empty", "cut", "double", "sparse"))
    path.write_bytes({"empty": b"", "cut": content[: rng.randrange(len(content) + 1)]}.get(change, content * 2))
    if change == "sparse":
        os.truncate(path, rng.choice((300 * 2**20, SPARSE)))
    return f"{path.relative_to(folder)} {change}"


KINDS: dict[str, Callable[[Path, int, Path, random.Random], str]] = {
    "value": _value,
    "digest": _digest,
    "kind": _kind,
    "line": _line,
    "content": _content,
    "name": _name,
    "size": _size,
}
"""Kinds of changes."""
ORDER = ("value", "digest", "kind", "line", "value", "content", "kind", "value", "name", "size", "value")
"""Changes of mutants 0, 1, 2, …, repeated."""
