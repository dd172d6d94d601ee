from gridworld.generation import Drawing, Generator
from gridworld.hookspecs import GeneratorInfo, TaskSpecification


class Corridors(Generator):
    """Corridors of 3 to 22 cells."""

    def draw(self, seed: int) -> Drawing:
        length = 3 + seed % 20
        maze = {"dimensions": [length + 2, 3], "start": [1, 1], "goal": [length, 1]}
        task = {
            "task_id": f"corridor-{length}",
            "seed": seed,
            "difficulty_tier": 1,
            "maze": maze,
            "goal": {"type": "reach_position"},
            "max_steps": 2 * length,
        }
        return Drawing((TaskSpecification.from_dict(task),))


CORRIDORS = GeneratorInfo("corridors", "Corridors.", f"{__name__}:Corridors")
