"""Faults that the tests have to notice, each a small change of the text of one module."""

import attrs

__all__ = ["FAULTS", "Fault"]

CORE = "gridworld-core/src/gridworld"
SIGHT = "gridworld-multigrid/src/gridworld_polygons/sight.py"
SAMPLES = "gridworld-minigrid/src/gridworld_minigrid/painting.py"
ADAPTERS = "multinet-adapters/src/multinet_adapters"

KERNEL_TESTS = ("gridworld_core/test_semantics.py", "gridworld_core/world", "gridworld_minigrid", "gridworld_multigrid")
MECHANISM_TESTS = ("gridworld_core/test_mechanisms.py", *KERNEL_TESTS)
GOAL_TESTS = ("gridworld_core/test_goals.py", *KERNEL_TESTS)
MASK_TESTS = ("gridworld_core/world", "gridworld_minigrid", "gridworld_multigrid")
PUSHING_TESTS = ("gridworld_core/solver/test_pattern_databases.py",)
SOLVER_TESTS = (
    "gridworld_core/solver/test_shortcuts_against_plain_search.py",
    "gridworld_core/solver/test_against_plain_search.py",
)
SAMPLE_TESTS = ("gridworld_minigrid/test_samples.py",)
EVAL = "multinet-eval/src/multinet_eval"
STATISTICS = f"{EVAL}/statistics"
COMPARISON_TESTS = ("multinet_eval/statistics/test_clusters.py", "multinet_eval/analysis/test_run_comparison.py")
METRICS = f"{EVAL}/analysis/metrics"
METRIC_TESTS = tuple(
    f"multinet_eval/analysis/test_{name}.py" for name in ("builtin", "composite", "measuring", "regret")
)
REPORT = "multinet-report/src/multinet_report"
REPORT_TESTS = ("multinet_report/test_report.py",)
PLAY_TESTS = ("multinet_report/play/test_application.py", "multinet_report/play/test_game.py")
VECTOR_TESTS = ("gridworld_core/vector",)
PICTURE_TESTS = ("gridworld_core/vector/test_pictures.py",)
ROLLOUT_TESTS = ("gridworld_core/runner", "multinet_eval/record", "multinet_eval")


@attrs.frozen
class Fault:
    """A fault, and the tests that may notice it."""

    name: str
    module: str
    """The path of the module in ``packages/``."""
    right: str
    """A text that stands once in the module."""
    wrong: str
    """Replacement of the text."""
    tests: tuple[str, ...]
    """Paths in ``tests/``, those that are the likeliest to notice it first."""


FAULTS = (
    # --- the kernel ---
    Fault(
        "left is right",
        f"{CORE}/world/acts.py",
        "state.facing(world.left[",
        "state.facing(world.right[",
        KERNEL_TESTS,
    ),
    Fault(
        "blocks are pushed into walls",
        f"{CORE}/world/acts.py",
        "if cell == NO_CELL or cell in world.walls or cell in travelling.places:",
        "if cell == NO_CELL or cell in travelling.places:",
        KERNEL_TESTS,
    ),
    Fault(
        "blocks are pushed onto blocks",
        f"{CORE}/world/acts.py",
        "if cell == NO_CELL or cell in world.walls or cell in travelling.places:",
        "if cell == NO_CELL or cell in world.walls:",
        KERNEL_TESTS,
    ),
    Fault(
        "blocks are pushed onto floors that refuse them",
        f"{CORE}/world/acts.py",
        "& TAKES_BLOCKS) and not world.refuses(travelling, fixed)",
        "& TAKES_BLOCKS)",
        KERNEL_TESTS,
    ),
    Fault(
        "the agent follows a block onto a floor that refuses it",
        f"{CORE}/world/acts.py",
        "    obstacle = world.obstacle_at(pushed, target)\n",
        "    obstacle = None\n",
        KERNEL_TESTS,
    ),
    Fault(
        "what is left behind in a cell still acts",
        f"{CORE}/world/acts.py",
        "            if state.cell != cell:\n                break\n        else:\n            break",
        "        if state.cell == cell:\n            break",
        KERNEL_TESTS,
    ),
    Fault(
        "deriving is done once",
        f"{CORE}/world/rules.py",
        "        state, events = derived, events + further\n",
        "        return derived, events + further\n",
        KERNEL_TESTS,
    ),
    Fault(
        "things are dropped on targets",
        f"{CORE}/world/acts.py",
        " or target in world.marks",
        "",
        KERNEL_TESTS,
    ),
    Fault(
        "a full hand takes another thing",
        f"{CORE}/world/acts.py",
        "    if state.carried != NOTHING:\n        return state, HAND_FULL\n",
        "",
        KERNEL_TESTS,
    ),
    Fault(
        "who walks backward turns round",
        f"{CORE}/world/acts.py",
        "(state if state.heading == looking else state.facing(looking))",
        "state",
        KERNEL_TESTS,
    ),
    Fault(
        "the dead succeed",
        f"{CORE}/world/rules.py",
        "if reached and not now.status:",
        "if reached:",
        KERNEL_TESTS,
    ),
    Fault(
        "sensors do not feel the agent come and go",
        f"{CORE}/world/rules.py",
        " or now.cell != before.cell:",
        ":",
        KERNEL_TESTS,
    ),
    Fault(
        "the budget of steps is one step longer than it says",
        f"{CORE}/world/rules.py",
        "return state.steps >= world.max_steps and",
        "return state.steps > world.max_steps and",
        KERNEL_TESTS,
    ),
    Fault(
        "agents slip through sealed seams",
        f"{CORE}/world/compilation.py",
        "exits=sealed_exits(topology, seams),",
        "exits=topology.exits,",
        ("gridworld_multigrid/test_mazes.py", "gridworld_core/world", "gridworld_multigrid"),
    ),
    Fault(
        "entities are numbered in the order of the file",
        f"{CORE}/world/compilation.py",
        "pair[0].name, tuple(pair[0].positions(pair[1]).values())",
        "pair[0].name",
        ("gridworld_core/world/test_permutations.py", "gridworld_core/world"),
    ),
    # --- mechanisms and goals ---
    Fault(
        "any key opens any door",
        f"{CORE}/mechanisms/doors.py",
        " or held.color != door.color:",
        ":",
        MECHANISM_TESTS,
    ),
    Fault(
        "keys are used up where they should last",
        f"{CORE}/mechanisms/doors.py",
        "if not world.task.rules.key_consumption:",
        "if world.task.rules.key_consumption:",
        MECHANISM_TESTS,
    ),
    Fault(
        "gates shut on who stands in them",
        f"{CORE}/mechanisms/gates.py",
        "        or (was_open and world.is_occupied(state, gate.cells))\n",
        "",
        MECHANISM_TESTS,
    ),
    Fault(
        "a one-shot switch is switched off again",
        f"{CORE}/mechanisms/switches.py",
        'if kind == "one_shot" and value == ON:',
        'if kind == "one_shot" and value == OFF:',
        MECHANISM_TESTS,
    ),
    Fault(
        "a teleporter does not cool down",
        f"{CORE}/mechanisms/teleporters.py",
        "if value in (ARRIVED[entered], COOLING[entered]):",
        "if value == ARRIVED[entered]:",
        MECHANISM_TESTS,
    ),
    Fault(
        "one target of many is enough to collect",
        f"{CORE}/goals.py",
        "lambda state: all(state.values[entity] in",
        "lambda state: any(state.values[entity] in",
        GOAL_TESTS,
    ),
    Fault(
        "the target of a goal is not heeded",
        f"{CORE}/goals.py",
        "return task.goal.target or task.maze.goal",
        "return task.maze.goal",
        GOAL_TESTS,
    ),
    # --- what is seen ---
    Fault(
        "fog keeps stale looks of what was seen again",
        f"{CORE}/world/knowledge.py",
        "for cell, look in remembered.items() if cell not in returning}",
        "for cell, look in remembered.items()}",
        MASK_TESTS,
    ),
    Fault(
        "what happens to hidden things is told",
        f"{CORE}/world/knowledge.py",
        "return subject is None or not world.is_hidden(snapshot.state, world.by_id[subject].index)",
        "return True",
        MASK_TESTS,
    ),
    Fault(
        "a hidden solid thing looks like floor",
        f"{CORE}/world/looks.py",
        "for index in hidden):\n        return WALL",
        "for index in hidden):\n        return bare",
        MASK_TESTS,
    ),
    Fault(
        "masks forbid to probe what may be hidden",
        f"{CORE}/world/masks.py",
        "if touched in near.hiding or ",
        "if ",
        MASK_TESTS,
    ),
    Fault(
        "masks take what looks like wall for a barrier beside a seam",
        f"{CORE}/world/masks.py",
        "return None if self._may_hide(cell, look) else look",
        "return look",
        MASK_TESTS,
    ),
    Fault(
        "agents see behind themselves",
        SIGHT,
        "BEHIND = -1e-9",
        "BEHIND = -1e9",
        ("gridworld_multigrid/tilings",),
    ),
    Fault(
        "sealed seams do not block sight",
        SIGHT,
        "            stopped[1:] |= ~through\n",
        "",
        ("gridworld_multigrid/tilings",),
    ),
    # --- many environments at once ---
    Fault(
        "pictures beside what is observed are not brought up to date",
        f"{CORE}/vector/observers.py",
        "        self._pictures.update(rows, begun)\n        return self._observer",
        "        return self._observer",
        VECTOR_TESTS,
    ),
    Fault(
        "survival is no success",
        f"{CORE}/vector/stepping.py",
        "succeeded | endured",
        "succeeded",
        VECTOR_TESTS,
    ),
    Fault(
        "successes at the last step are cut off",
        f"{CORE}/vector/stepping.py",
        "truncated = late & ~succeeded",
        "truncated = late",
        VECTOR_TESTS,
    ),
    Fault(
        "forgotten rows are still led to",
        f"{CORE}/vector/stepping_table.py",
        "following[following >= self.rows.kept[0]] = UNKNOWN",
        "pass",
        VECTOR_TESTS,
    ),
    Fault(
        "the fog of the last episode stays",
        "gridworld-multigrid/src/gridworld_multigrid/vector_observers.py",
        "forgetting if begun is None else forgetting | begun",
        "forgetting",
        VECTOR_TESTS,
    ),
    Fault(
        "copies share the seed of the first",
        f"{CORE}/vector/vector_play.py",
        "first + env for env",
        "first for env",
        VECTOR_TESTS,
    ),
    Fault(
        "masks forget what has been in the hand",
        f"{CORE}/vector/belief_states.py",
        "if mode == EVERYTHING_SHOWN:",
        "if mode != REMEMBERED:",
        VECTOR_TESTS,
    ),
    Fault(
        "of resets in a row only the last begins episodes for masks",
        f"{CORE}/vector/belief_states.py",
        "self.record_step(rows, begun_before | begun)",
        "self.record_step(rows, begun)",
        VECTOR_TESTS,
    ),
    Fault(
        "masks of moments stay when these get other numbers",
        f"{CORE}/vector/action_masks.py",
        "            self._of_belief.cut(0)\n",
        "",
        VECTOR_TESTS,
    ),
    Fault(
        "what was noted for masks is read with the numbers of other rows",
        f"{CORE}/vector/vector_play.py",
        "            self._masks.beliefs.before_eviction()\n",
        "            pass\n",
        VECTOR_TESTS,
    ),
    Fault(
        "the start of the longest episode is noted no more at its end",
        f"{CORE}/vector/belief_states.py",
        "longest = 1 + max((world.max_steps",
        "longest = max((world.max_steps",
        VECTOR_TESTS,
    ),
    Fault(
        "what is remembered looks as if it were in view",
        f"{CORE}/vector/cell_codes.py",
        "        self._shown &= ~np.uint32(IN_VIEW)\n",
        "",
        PICTURE_TESTS,
    ),
    Fault(
        "agents stay in the pictures where they have been",
        "gridworld-multigrid/src/gridworld_multigrid/vector_observers.py",
        "self._agents[left] = NOBODY",
        "pass",
        PICTURE_TESTS,
    ),
    Fault(
        "lines of sight from a cell lead out of the tiling as those of its like do within",
        SIGHT,
        "(x + left >= 0) & (x + right < width)",
        "(x == x)",
        ("gridworld_multigrid/tilings",),
    ),
    # --- the solver ---
    Fault(
        "plans are found in the wrong order",
        f"{CORE}/solver/exploration.py",
        "self.bound = min(self._open)",
        "self.bound = max(self._open)",
        SOLVER_TESTS,
    ),
    Fault(
        "rounds are passed in less time than they take",
        f"{CORE}/solver/last_step.py",
        "steps=state.steps + rounds * length",
        "steps=state.steps + rounds * length + 1",
        ("gridworld_core/solver/test_last_step.py",),
    ),
    Fault(
        "what cannot be got to after rounds is given up",
        f"{CORE}/solver/last_step.py",
        "rounds=rounds)\n        yield node",
        "rounds=rounds)\n            return\n        yield node",
        ("gridworld_core/solver/test_last_step.py",),
    ),
    Fault(
        "the goal's cells are plain floor",
        f"{CORE}/solver/expansion.py",
        "cells.update(world.goal_type.agent_cells(world))",
        "cells.update(())",
        SOLVER_TESTS,
    ),
    Fault(
        "things that can be moved are plain floor",
        f"{CORE}/solver/expansion.py",
        "faces = faces | ((places == ahead) & (ahead >= 0))",
        "faces = faces | False",
        SOLVER_TESTS,
    ),
    Fault(
        "a full hand does what an empty one does",
        f"{CORE}/solver/local_transitions.py",
        "equivalence_class = (carried, kept,",
        "equivalence_class = (kept,",
        SOLVER_TESTS,
    ),
    Fault(
        "a step that changes more than the pose is taken to change no more",
        f"{CORE}/solver/expansion.py",
        "pose_alone = before[2:6] == now[2:6] and",
        "pose_alone = before[2:5] == now[2:5] and",
        SOLVER_TESTS,
    ),
    Fault(
        "mechanisms that mind where the agent is are taken to be local",
        f"{CORE}/solver/local_transitions.py",
        "return local and world",
        "return world",
        SOLVER_TESTS,
    ),
    Fault(
        "the agent is never in the way of what is carried",
        f"{CORE}/solver/local_transitions.py",
        " and not in_the_way",
        "",
        SOLVER_TESTS,
    ),
    Fault(
        "dropped things are forgotten though mechanisms care",
        f"{CORE}/solver/relaxation.py",
        "not goal.ignores_dropped or sensitive or",
        "not goal.ignores_dropped or",
        SOLVER_TESTS,
    ),
    Fault(
        "dropped things are forgotten though the goal cares",
        f"{CORE}/solver/relaxation.py",
        "not goal.ignores_dropped or sensitive",
        "sensitive",
        SOLVER_TESTS,
    ),
    Fault(
        "dropped things are forgotten though the agent is carried",
        f"{CORE}/solver/relaxation.py",
        " or world.carrying:",
        ":",
        SOLVER_TESTS,
    ),
    Fault(
        "a plan of the relaxed space is not played",
        f"{CORE}/solver/search.py",
        "if plan is None or _wins(self.world, self.first, plan, self.constraint):",
        "if found:",
        SOLVER_TESTS,
    ),
    Fault(
        "whatever is pushed is all that there is",
        f"{CORE}/solver/pattern_databases.py",
        "return inert and world.remember",
        "return world.remember",
        SOLVER_TESTS,
    ),
    Fault(
        "pushes count twice",
        f"{CORE}/solver/pattern_databases.py",
        "pushes += table.pushes",
        "pushes += 2 * table.pushes",
        SOLVER_TESTS,
    ),
    Fault(
        "what two things need is added up",
        f"{CORE}/solver/pattern_databases.py",
        "least = np.maximum(least, steps[places[:, first]",
        "least = np.add(least, steps[places[:, first]",
        PUSHING_TESTS,
    ),
    Fault(
        "where a thing has yet to be pushed it is lost",
        f"{CORE}/solver/pattern_databases.py",
        "table.pushes >= NEVER",
        "table.pushes >= 2",
        PUSHING_TESTS,
    ),
    Fault(
        "of two things each is looked up where the other one is",
        f"{CORE}/solver/pattern_databases.py",
        "steps[places[:, first], places[:, second], poses]",
        "steps[places[:, second], places[:, first], poses]",
        PUSHING_TESTS,
    ),
    Fault(
        "shorter ways to states are not noted",
        f"{CORE}/solver/exploration.py",
        "(known != UNMET) & (self._met.steps[known] > steps)",
        "known < UNMET",
        SOLVER_TESTS,
    ),
    Fault(
        "distances of a table are one too small",
        f"{CORE}/solver/state_graph.py",
        "distances_to(successors, winning, 1)",
        "distances_to(successors, winning, 0)",
        SOLVER_TESTS,
    ),
    Fault(
        "states on shortest plans are those that have been met",
        f"{CORE}/solver/necessity.py",
        "& on_plan[np.maximum(following, 0)]",
        "& False",
        (*SOLVER_TESTS, "gridworld_core/solver/test_difficulty.py"),
    ),
    Fault(
        "one walks through things",
        f"{CORE}/solver/local_transitions.py",
        "if place in taken}",
        "if place in ()}",
        SOLVER_TESTS,
    ),
    Fault(
        "one walks about though time passes",
        f"{CORE}/solver/local_transitions.py",
        "(as_expected & (steps.following[numbers, fronts, slots] == numbers))",
        "as_expected",
        SOLVER_TESTS,
    ),
    Fault(
        "outcomes are remembered for the state after",
        f"{CORE}/solver/expansion.py",
        "self._row_of[indices] = np.arange(first, last)",
        "self._row_of[indices] = np.arange(first, last)[::-1]",
        SOLVER_TESTS,
    ),
    # --- adapters ---
    Fault(
        "an answer that was cut off is read",
        f"{ADAPTERS}/answer_format.py",
        "    if reply.cut_off:",
        "    if reply.cut_off and not reply.text:",
        ("multinet_adapters/test_answer_format.py",),
    ),
    Fault(
        "a reply of any size is read to its end",
        f"{ADAPTERS}/transport.py",
        "        size += len(chunk)\n        if size > limit:\n            raise _too_large(url, limit)\n",
        "",
        ("multinet_adapters/test_faults.py",),
    ),
    Fault(
        "all tasks are sampled with one seed",
        f"{ADAPTERS}/sampling_seeds.py",
        "(episode.seed, episode.task_id)",
        "(episode.seed,)",
        ("multinet_adapters/test_requests.py",),
    ),
    # --- rollout and record ---
    Fault(
        "earlier turns keep notes that are too long",
        f"{CORE}/runner/history.py",
        "reply = with_note_cut(reply, note, self._note_length)",
        "pass",
        ("multinet_eval/test_context.py",),
    ),
    Fault(
        "a death is reported as the end of the budget",
        f"{CORE}/runner/rollout.py",
        "return EndReason.DEATH if step.terminated else EndReason.BUDGET",
        "return EndReason.BUDGET",
        ROLLOUT_TESTS,
    ),
    Fault(
        "lost steps cost nothing",
        f"{CORE}/runner/rollout.py",
        "if step.kind is not DecisionKind.STOP:",
        "if step.kind is DecisionKind.ACTION:",
        ROLLOUT_TESTS,
    ),
    Fault(
        "records of other formats are read as if they were ours",
        f"{CORE}/model_interface/steps.py",
        "version != RECORD_VERSION:",
        "version == -1:",
        ROLLOUT_TESTS,
    ),
    # --- pictures ---
    Fault(
        "what is near an edge is decided without MiniGrid",
        SAMPLES,
        "EDGE = 1e-3",
        "EDGE = 0.0",
        SAMPLE_TESTS,
    ),
    Fault(
        "the agent is turned the other way",
        SAMPLES,
        "0.5 + down * cos - right * sin",
        "0.5 + down * cos + right * sin",
        SAMPLE_TESTS,
    ),
    Fault(
        "thin triangles are taken for others",
        SAMPLES,
        "SLIVER = 1e-3",
        "SLIVER = 0.0",
        SAMPLE_TESTS,
    ),
    Fault(
        "strokes without length are discs",
        SAMPLES,
        "if length < EDGE:",
        "if length == 0:",
        SAMPLE_TESTS,
    ),
    # --- the report page ---
    Fault(
        "a title is markup",
        f"{REPORT}/page_file.py",
        "html.escape(visible_line(title))",
        "visible_line(title)",
        ("multinet_report/test_page_file.py",),
    ),
    Fault(
        "what a title says is filled in",
        f"{REPORT}/page_file.py",
        'PART.sub(lambda found: parts[found[1]], _source("page.html"))',
        'PART.sub(lambda found: parts[found[1]], PART.sub(lambda found: parts[found[1]], _source("page.html")))',
        ("multinet_report/test_page_file.py",),
    ),
    Fault(
        "a page of another origin may play",
        f"{REPORT}/play/guard.py",
        "if origin != own and (needed or origin is not None):",
        "if origin is None and needed:",
        PLAY_TESTS,
    ),
    Fault(
        "any name may lead to the page",
        f"{REPORT}/play/guard.py",
        "if name is None or (port or 80) != self.port:\n            return False",
        "if name is None or (port or 80) != self.port:\n            return False\n        return True",
        PLAY_TESTS,
    ),
    Fault(
        "a view can be answered twice",
        f"{REPORT}/play/stage.py",
        "if number != self._number or self._answer is not None:",
        "if False:",
        PLAY_TESTS,
    ),
    Fault(
        "the end of a maze shows the board to whoever plays by text",
        f"{REPORT}/play/person_model.py",
        "if not self._shows_board or self._scene is None or self._episode is None:",
        "if self._scene is None or self._episode is None:",
        PLAY_TESTS,
    ),
    Fault(
        "a board that is shown has all glyphs in it",
        f"{CORE}/backends/scenes.py",
        "numbers = {glyph: number for number, glyph in enumerate(dict.fromkeys(_glyphs_of(looks, held)))}",
        "numbers = {glyph: glyph for glyph in range(len(self.looks.glyphs))}",
        ("gridworld_core/backends/test_scenes.py",),
    ),
    Fault(
        "success is one action further than it is",
        f"{REPORT}/analysis.py",
        "None if each == math.inf else int(each)",
        "None if each == math.inf else int(each) + 1",
        REPORT_TESTS,
    ),
    Fault(
        "groups have the episodes of the others",
        f"{REPORT}/run_data.py",
        "for row, result in chosen if key in keys(row)",
        "for row, result in chosen if key not in keys(row)",
        REPORT_TESTS,
    ),
    # --- comparisons of runs ---
    Fault(
        "repetitions count as mazes of their own",
        f"{STATISTICS}/clusters.py",
        "return {cluster: average(cells.values()) for",
        "return {cluster: max(cells.values()) for",
        ("multinet_eval/statistics/test_clusters.py",),
    ),
    Fault(
        "missing episodes are failures",
        f"{STATISTICS}/clusters.py",
        "    for each in observations:\n        if each.score is not None:",
        "    for each in with_missing(observations, 0.0):\n        if each.score is not None:",
        COMPARISON_TESTS,
    ),
    Fault(
        "clusters that agree are beyond doubt",
        f"{STATISTICS}/intervals.py",
        "else max(self.clusters, self.trials / max(1.0, effect))",
        "else max(self.clusters, self.trials / max(1e-9, effect))",
        ("multinet_eval/statistics/test_intervals.py",),
    ),
    Fault(
        "epochs that were all won are trials of their own",
        f"{STATISTICS}/intervals.py",
        "return self.clusters if effect is None else max(",
        "return self.trials if effect is None else max(",
        ("multinet_eval/statistics/test_intervals.py",),
    ),
    Fault(
        "an interval without the mazes at its bounds",
        f"{STATISTICS}/intervals.py",
        "widened = with_bounds(values, low, high)",
        "widened = np.asarray(values, dtype=np.float64)",
        ("multinet_eval/statistics/test_mean_intervals.py",),
    ),
    Fault(
        "signs that come out just as far do not count",
        f"{STATISTICS}/paired_tests.py",
        "least = abs(math.fsum(others)) - ROUNDING",
        "least = abs(math.fsum(others)) + ROUNDING",
        ("multinet_eval/statistics/test_sign_flip.py",),
    ),
    Fault(
        "an interval contradicts its test",
        f"{STATISTICS}/paired_tests.py",
        "return (max(low, ROUNDING), high) if",
        "return (low, high) if",
        ("multinet_eval/statistics/test_sign_flip.py",),
    ),
    Fault(
        "those that are worse are counted as better",
        f"{STATISTICS}/paired_tests.py",
        "            better[loser] += 1",
        "            better[winner] += 1",
        ("multinet_eval/statistics/test_ranking.py",),
    ),
    Fault(
        "what a recorded step says it did is not compared",
        f"{EVAL}/verify/replayed_attempt.py",
        "    pairs = json_differences(_compared(kind, line.content), _compared(kind, expected), kind)",
        "    pairs = json_differences(_compared(kind, expected), _compared(kind, expected), kind)",
        ("multinet_eval/verify/test_verification.py",),
    ),
    Fault(
        "an episode that is dropped from its end is not missed",
        f"{EVAL}/verify/replayed_attempt.py",
        """        if answer is None:
            return [_out_of_place(left[0], "request")]
""",
        """        if answer is None:
            return []
""",
        ("multinet_eval/verify/test_verification.py",),
    ),
    Fault(
        "adjusted p-values change their order",
        f"{STATISTICS}/paired_tests.py",
        "highest = max(highest, (len(p_values) - rank) * p_values[place])",
        "highest = (len(p_values) - rank) * p_values[place]",
        ("multinet_eval/statistics/test_holm.py",),
    ),
    Fault(
        "runs under other conditions are compared",
        f"{EVAL}/record/fingerprint.py",
        "        if not is_free and not is_lacking:",
        "        if False:",
        COMPARISON_TESTS,
    ),
    Fault(
        "variants of a maze are paired by their tasks",
        f"{EVAL}/analysis/run_comparison.py",
        'OTHER_TASKS = frozenset({"suite", VARIANT})',
        'OTHER_TASKS = frozenset({"suite"})',
        COMPARISON_TESTS,
    ),
    # --- metrics ---
    Fault(
        "regret leaves out the action itself",
        f"{METRICS}/episode_analysis.py",
        "1 + after - before for",
        "after - before for",
        METRIC_TESTS,
    ),
    Fault(
        "lost states are as far away as they were numbered",
        f"{METRICS}/known_tasks.py",
        "math.inf if distance == LOST else float(distance)",
        "float(distance)",
        METRIC_TESTS,
    ),
    Fault(
        "infrastructure is held against models",
        f"{METRICS}/measuring.py",
        "if episode.result.scored or not each.scored_only",
        "if episode",
        METRIC_TESTS,
    ),
    Fault(
        "what is not defined is 0",
        f"{METRICS}/measuring.py",
        "        value = metric(episode)\n",
        "        value = metric(episode) or 0.0\n",
        METRIC_TESTS,
    ),
    Fault(
        "the composite score forgets what greedy solves",
        f"{METRICS}/builtin/composite.py",
        "efficiency * difficulty - (weights.greedy_penalty if too_easy else 0.0)",
        "efficiency * difficulty",
        METRIC_TESTS,
    ),
    Fault(
        "tasks are not held against the most difficult one",
        f"{METRICS}/builtin/composite.py",
        "/ max(sums) if max(sums) else 1.0",
        "if max(sums) else 1.0",
        METRIC_TESTS,
    ),
    Fault(
        "an effect that is larger in one run is told of the other",
        f"{STATISTICS}/paired_differences.py",
        "halves = [(a - b) / 2",
        "halves = [(b - a) / 2",
        ("multinet_eval/statistics/test_interactions.py",),
    ),
    # --- the baseline that explores ---
    Fault(
        "the explorer knows the walls that it has not seen",
        f"{CORE}/solver/explorer_model.py",
        "walls=world.walls | unknown | looks_like_wall,",
        "walls=world.walls | looks_like_wall,",
        ("gridworld_core/solver/test_explorer_model.py",),
    ),
)
