"""Order: a key with its door exchanged in place with a switch and its gate."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal

import attrs

from gridworld.generation.generator import Drawing, NothingDrawn
from gridworld.task_spec import DependencyStep, Position, TaskSpecification
from gridworld_generators.matched.base import Matched, variant_of
from gridworld_generators.tools.changing import with_chain, with_mechanisms

__all__ = ["Order"]

SWITCH = "switch-gate"


@attrs.frozen(kw_only=True)
class Order(Matched):
    """Two tasks: in one a key comes first and then a switch, in the other both have changed places.

    Shortest plans have the same length on every tiling. A key is picked up and a switch switched from where it is
    faced, each by one action, and until then nothing is gained by standing on a switch; a door takes one action more
    than a gate wherever it stands.

    Args:
        depth: how many barriers the base has, 2 to 6; two that follow each other, a door and a gate, are exchanged.
        switch: what switches are.
    """

    depth: int = attrs.field(default=2, validator=[attrs.validators.ge(2), attrs.validators.le(6)])
    switch: Literal["toggle", "one_shot"] = "toggle"

    @property
    def given(self) -> Mapping[str, object]:
        """Chains of keys and switches."""
        return {"depth": self.depth, "steps": f"key+{self.switch}"}

    def draw(self, seed: int) -> Drawing:
        """A task, and the same with two steps of its chain exchanged."""
        task = self.base_task(seed)
        steps = list(task.dependency_chain.sequence) if task.dependency_chain else []
        first = next((place for place, (one, other) in enumerate(pairwise(steps)) if one.type != other.type), None)
        if first is None:
            raise NothingDrawn("no key is next to a switch in the chain")
        tasks = [task, _exchanged(task, steps, first)]
        if steps[first].type == SWITCH:
            tasks.reverse()
        variants = (variant_of(tasks[0], "key_first"), variant_of(tasks[1], "switch_first"))
        return Drawing(variants, held=("length", "layout", "contents"), varied=("chain",))


def _exchanged(task: TaskSpecification, steps: list[DependencyStep], first: int) -> TaskSpecification:
    """The task with a step and the one after it exchanged in place."""
    one, other = steps[first : first + 2]
    where = {spec.id: spec.position for _, specs in task.mechanisms.groups() for spec in specs}
    places = {
        one.element: where[other.element],
        one.unlocks: where[other.unlocks],
        other.element: where[one.element],
        other.unlocks: where[one.unlocks],
    }
    groups = {name: [_put(spec, places) for spec in specs] for name, specs in task.mechanisms.groups()}
    return with_chain(with_mechanisms(task, groups), [*steps[:first], other, one, *steps[first + 2 :]])


def _put(spec: Any, places: Mapping[str, Position]) -> Any:
    return attrs.evolve(spec, position=places[spec.id]) if spec.id in places else spec
