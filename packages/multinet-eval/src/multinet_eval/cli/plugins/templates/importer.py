from collections.abc import Iterator
from pathlib import Path

from gridworld.generation import Importer, Level, read_levels_in_texts
from gridworld.hookspecs import ImporterInfo, TaskSpecification


class Lengths(Importer):
    """Corridors, from text files that have the length of one on each line."""

    def levels(self, source: str) -> Iterator[Level]:
        return read_levels_in_texts(source, (".txt",), read)


def read(file: Path, text: str) -> Iterator[Level]:
    task = {"seed": 1, "difficulty_tier": 1, "goal": {"type": "reach_position"}}
    for number, line in enumerate(text.splitlines()):
        length = int(line)
        maze = {"dimensions": [length + 2, 3], "start": [1, 1], "goal": [length, 1]}
        own = {"task_id": f"{file.stem}-{number}", "maze": maze, "max_steps": 99}
        yield TaskSpecification.from_dict(task | own)


LENGTHS = ImporterInfo("lengths", "Corridors by lengths.", f"{__name__}:Lengths")
