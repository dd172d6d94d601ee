"""Where things are drawn in patches: worked out once for all patches of one form, and inside them."""

import math

import pytest

from gridworld_multigrid.rendering.patches import PatchForm, patch_form
from support.tilings import contains, make_topology, on_all_tilings

LATTICE = (24, 17)
MOST_FORMS = 4
"""As many as the core's tilings have at most; searching the circles of each patch anew takes minutes on large mazes."""
AROUND = [(math.cos(angle), math.sin(angle)) for angle in (math.tau * step / 24 for step in range(24))]


def forms_on(name: str) -> list[tuple[tuple[int, ...], PatchForm]]:
    """The cells of each patch, and its form."""
    topology = make_topology(name, LATTICE)
    return [(patch, patch_form([topology.polygons[cell] for cell in patch])) for patch in topology.patches.values()]


@on_all_tilings
def test_patches_that_look_alike_have_one_form(name: str) -> None:
    assert len({id(form) for _, form in forms_on(name)}) <= MOST_FORMS


@on_all_tilings
def test_circles_lie_inside_their_patches(name: str) -> None:
    polygons = make_topology(name, LATTICE).polygons
    for patch, form in forms_on(name)[:50]:
        left, top = polygons[patch[0]][0]
        for x, y, radius in (form.hub, *form.spots):
            rim = [(left + x + 0.98 * radius * dx, top + y + 0.98 * radius * dy) for dx, dy in AROUND]
            assert all(any(contains(polygons[cell], place) for cell in patch) for place in rim)


@on_all_tilings
def test_no_circle_of_a_patch_is_larger_than_its_hub(name: str) -> None:
    for _, form in forms_on(name)[:50]:
        assert max(radius for *_, radius in form.spots) <= form.hub[2] * 1.0001


def test_a_square_has_its_inscribed_circle() -> None:
    form = patch_form([[(5, 7), (6, 7), (6, 8), (5, 8)]])
    assert form.hub == pytest.approx((0.5, 0.5, 0.5), abs=1e-4)
    assert form.inner == (frozenset(),)
