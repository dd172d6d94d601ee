"""Counting of system calls that write below a folder; at chosen ones the process is killed or hindered. Linux only."""

import _io
import _pyio
import builtins
import errno
import functools
import io
import itertools
import math
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

__all__ = ["ACTS", "Trap", "children_of", "command_of", "forbid", "set_trap", "watch_writes"]

Act = Callable[["Trap", str, Callable[..., Any], Sequence[Any]], None]

BY_PATH = ("mkdir", "unlink", "remove", "rmdir", "truncate", "utime", "open")
BY_TWO_PATHS = ("rename", "replace", "link", "symlink")
BY_DESCRIPTOR = ("write", "writev", "pwrite", "fsync", "fdatasync", "ftruncate", "sendfile")
GROWING = ("mkdir", "open", "link", "symlink", "write", "writev", "pwrite", "sendfile")
"""Calls that a full disk refuses."""
PLAIN_WRITES = ("write", "pwrite")
"""Calls that can write a part of their bytes."""
MAKING = os.O_CREAT | os.O_TRUNC


@attrs.define
class Trap:
    """A plan of what happens at which write below a folder.

    Args:
        folder: absolute path without links.
        at: number of a write, from 1, to the name of an act in `ACTS`.
        cut: share of its bytes that a torn write writes.
    """

    folder: str
    at: Mapping[int, str] = attrs.field(converter=lambda at: {int(number): act for number, act in at.items()})
    cut: float = 0.5
    calls: list[str] = attrs.field(factory=list)
    """The calls so far, as ``"write episodes/0.jsonl"``."""
    refused: float = 0
    """Number of following calls that find no room."""
    short: bool = False
    """Whether the first of them writes a part."""
    _numbers: Any = attrs.field(factory=lambda: itertools.count(1))

    def concerns(self, places: Sequence[str]) -> bool:
        """Whether a call changes something in the folder."""
        return any(_is_within(place, [self.folder]) for place in places)

    def meet(self, name: str, place: str, call: Callable[..., Any], args: Sequence[Any], named: Any) -> Any:
        """Let a call through, or do what is planned for it."""
        number = next(self._numbers)
        self.calls.append(f"{name} {os.path.relpath(place, self.folder)}")
        act = self.at.get(number)
        if act is not None:
            PLAIN["write"](2, f"\n[{act} at write {len(self.calls)}: {self.calls[-1]}]\n".encode())
            ACTS[act](self, name, call, args)
        if self.refused and name in GROWING:
            return self._refuse(name, call, args)
        return call(*args, **named)

    def _refuse(self, name: str, call: Callable[..., Any], args: Sequence[Any]) -> int:
        """Find no room; as in Linux, a part of the bytes may still fit before the next call finds none."""
        if self.short and name in PLAIN_WRITES and len(args[1]) > 1:
            self.short = False
            return self.write_part(call, args)
        self.refused -= 1
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write_part(self, call: Callable[..., Any], args: Sequence[Any]) -> int:
        """Write the first bytes of a plain write."""
        descriptor, content, *offset = args
        whole = bytes(content)
        return int(call(descriptor, whole[: max(1, int(len(whole) * self.cut))], *offset))


def _tear(trap: Trap, name: str, call: Callable[..., Any], args: Sequence[Any]) -> None:
    if name in PLAIN_WRITES:
        trap.write_part(call, args)
    os.kill(os.getpid(), signal.SIGKILL)


def _fill(trap: Trap, refused: float, short: bool = False) -> None:
    trap.refused, trap.short = refused, short


def _lose_worker(trap: Trap) -> None:
    """Kill one of the worker processes, if there are any."""
    workers = [pid for pid in children_of(os.getpid()) if "spawn_main" in command_of(pid)]
    if workers:
        os.kill(workers[int(trap.cut * len(workers))], signal.SIGKILL)


ACTS: Mapping[str, Act] = {
    "kill": lambda *_: os.kill(os.getpid(), signal.SIGKILL),
    "stop": lambda *_: os.kill(os.getpid(), signal.SIGSTOP),
    "tear": _tear,
    "disk full for once": lambda trap, *_: _fill(trap, 1),
    "disk full": lambda trap, *_: _fill(trap, math.inf, trap.cut >= 0.5),
    "interrupt": lambda *_: os.kill(os.getpid(), signal.SIGINT),
    "lose a worker": lambda trap, *_: _lose_worker(trap),
}

PLAIN: dict[str, Callable[..., Any]] = {}
_trap: Trap | None = None


def set_trap(trap: Trap) -> None:
    """Set the trap of this process, after `watch_writes`."""
    global _trap
    _trap = trap


def watch_writes() -> None:
    """Route all writes of Python code in this process through the trap, once there is one.

    Files are opened by the pure-Python `open`, which writes with `os.write`. Call this before other modules import
    functions from `os`.
    """
    for name in (*BY_PATH, *BY_TWO_PATHS, *BY_DESCRIPTOR):
        PLAIN[name] = vars(os)[name]
        watched = _watched(name, PLAIN[name])
        for able in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            if PLAIN[name] in able:
                able.add(watched)
        setattr(os, name, watched)
    plain = builtins.open

    @functools.wraps(plain)
    def watched_open(file: Any, mode: str = "r", *args: Any, **named: Any) -> Any:
        if _trap is None or not set(mode) & set("wax+") or not _trap.concerns([_place(file)]):
            return plain(file, mode, *args, **named)
        return _pyio.open(file, mode, *args, **named)

    for module in (builtins, io, _io):
        module.open = watched_open


def _watched(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def watched(*args: Any, **named: Any) -> Any:
        if _trap is None or (name == "open" and not args[1] & MAKING):
            return call(*args, **named)
        places = _places(name, args, named)
        if not _trap.concerns(places):
            return call(*args, **named)
        return _trap.meet(name, places[-1], call, args, named)

    return watched


def _places(name: str, args: Sequence[Any], named: Mapping[str, Any]) -> list[str]:
    if name in BY_TWO_PATHS:
        source, target = args[:2]
        beside = named.get("dir_fd")
        found = [_place(source, named.get("src_dir_fd", beside)), _place(target, named.get("dst_dir_fd", beside))]
        return found[1:] if name == "symlink" else found
    return [_place(args[0], named.get("dir_fd"))]


def _place(file: Any, folder: int | None = None) -> str:
    """The absolute path of a descriptor, or of a path in a folder that has a descriptor."""
    if isinstance(file, int):
        try:
            found = str(Path(f"/proc/self/fd/{file}").readlink())
        except OSError:
            return ""
        return found if found.startswith("/") else ""  # a pipe or socket
    start = Path.cwd() if folder is None else Path(_place(folder))
    return os.path.normpath(start / os.fsdecode(file))


def forbid(folder: str | None, tell: Callable[[str], object], confined: Sequence[str] = ()) -> None:
    """Report everything in a folder that this process opens, lists, makes, changes or removes, also through links.

    Args:
        folder: absolute path without links.
        tell: called with the event and its call stack.
        confined: folders, likewise; if given, report changes outside of them, reading of what is neither in them nor
            `READABLE`, connections and programs.
    """
    busy = threading.local()

    def is_wrong(place: str, changes: bool) -> bool:
        if folder is not None and _is_within(place, [folder]):
            return True
        allowed = ("/dev/null",) if changes else READABLE
        return bool(confined and place) and not _is_within(place, [*confined, *allowed])

    def audit(event: str, args: Sequence[Any]) -> None:
        if vars(busy) or (event not in AUDITED and not (confined and event in STARTING)):
            return
        busy.now = True
        try:
            if event in STARTING:
                tell(f"{event} {args!r}, by {_callers()}")
                return
            flags = args[2] if event == "open" else 0
            changes = bool(flags & (os.O_WRONLY | os.O_RDWR | MAKING)) if event == "open" else event not in LISTING
            unfollowed = bool(flags & os.O_NOFOLLOW) if event == "open" else event not in FOLLOWING
            for place in args[: AUDITED[event]]:
                found = _real(place, unfollowed, args[IN_FOLDER[event]] if event in IN_FOLDER else -1)
                if is_wrong(found, changes):
                    tell(f"{event} {found}, by {_callers()}")
        finally:
            del busy.now

    sys.addaudithook(audit)


AUDITED = {
    "open": 1,
    "os.chmod": 1,
    "os.link": 2,
    "os.listdir": 1,
    "os.mkdir": 1,
    "os.remove": 1,
    "os.rename": 2,
    "os.rmdir": 1,
    "os.scandir": 1,
    "os.symlink": 2,
    "os.truncate": 1,
    "os.utime": 1,
}
"""Events of `sys.audit`, with the number of leading arguments that are paths."""
IN_FOLDER = {"os.mkdir": 2, "os.remove": 1, "os.rmdir": 1}
"""Events whose path may be relative to a descriptor, with the position of that argument."""
STARTING = ("socket.connect", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.system")
"""Events of connections and other programs."""
LISTING = ("os.listdir", "os.scandir")
"""Events that change nothing."""
READABLE = (
    *{os.path.realpath(each) for each in (sys.prefix, sys.base_prefix, Path(__file__).parents[2])},
    *("/proc", "/sys", "/dev/null", "/dev/urandom", "/usr", "/etc/localtime", "/etc/mime.types"),
)
"""What Python and the packages read."""
FOLLOWING = ("os.chmod", "os.listdir", "os.scandir", "os.truncate", "os.utime")
"""Events that concern the target of a link."""


def _real(place: Any, unfollowed: bool, folder: int = -1) -> str:
    if place is None or (isinstance(place, int) and place < 0):
        return ""
    path = _place(place, None if folder < 0 else folder)
    if not path:
        return ""
    return str(Path(os.path.realpath(Path(path).parent), Path(path).name)) if unfollowed else os.path.realpath(path)


def _is_within(place: str, folders: Sequence[str]) -> bool:
    return any(place == folder or place.startswith(folder + os.sep) for folder in folders)


def _callers() -> str:
    frames = traceback.extract_stack()[:-3]
    return " < ".join(f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in reversed(frames[-6:]))


def children_of(pid: int) -> list[int]:
    """Ids of the children of a process, zombies included."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                state = (entry / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            if int(state.rpartition(")")[2].split()[1]) == pid:
                found.append(int(entry.name))
    return sorted(found)


def command_of(pid: int) -> str:
    """Command line of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


assert sys.platform == "linux", "the path behind a descriptor is read in /proc"
