"""A drawing to begin with."""

__all__ = ["EXAMPLE"]

EXAMPLE = """\
; A drawing of a task: settings, a map, and a legend. Change it, save it as room.txt, and try
;     multinet tasks new room.txt -o room.json
; Lines that begin with a semicolon are comments.

task: room
description: Fetch the key, throw the switch, and reach the goal.
tier: 3
; How many actions an episode may take.
budget: 100

; '#' is a wall, '.' floor, 'G' the goal, and '>' the agent, which starts facing right.
###########
#>...#....#
#.A..B..S.#
#....#....#
########g##
#.........#
#..%.....G#
###########

; Every other character is explained, in the words of 'multinet tasks show'.
A = red key
B = locked red door
S = yellow one-shot switch -> g
g = closed gate
% = lava

; Other things: open green door, blue block, fixed grey block, purple hold switch, pit, spike, hidden red key,
; teleporter (on two cells), teleporter entrance, teleporter exit.
; An id in quotation marks names a thing: A = red key "my_key".
; Other goals: wanted red key; yellow target, or target of B, where B is a block; or the line 'goal: survive_steps'.
"""
"""A task with a door, a gate and a hazard, and comments that say how drawings work."""
