"""The plugin of this distribution: task suites, probes, protocols, metrics, executors, and animations."""

from collections.abc import Iterable

from gridworld.hookspecs import (
    BenchmarkInfo,
    ExecutorInfo,
    MetricInfo,
    ProbeInfo,
    ProtocolInfo,
    RendererInfo,
    hookimpl,
)


@hookimpl
def gridworld_benchmarks() -> Iterable[BenchmarkInfo]:
    return [
        BenchmarkInfo(
            "validation_10",
            "Ten short tasks, from an empty room to a chain of distractors.",
            package="multinet_eval",
            folder="benchmarks/validation_10",
        ),
        BenchmarkInfo(
            "tiers",
            "Tasks in five tiers: navigation, keys, switches, blocks and hazards, hidden things and combinations.",
            package="multinet_eval",
            folder="benchmarks/tiers",
        ),
        BenchmarkInfo(
            "worked_examples",
            "Small mazes that models are shown solved, at least one for each mechanism.",
            package="multinet_eval",
            folder="benchmarks/worked_examples",
        ),
    ]


@hookimpl
def gridworld_executors() -> Iterable[ExecutorInfo]:
    return [
        ExecutorInfo("local", "Threads of this process.", "multinet_eval.play.pools.pool:LocalPool"),
        ExecutorInfo("ray", "Actors of a Ray cluster.", "multinet_eval.play.pools.ray:RayPool", extra="ray"),
        ExecutorInfo("processes", "Processes of this machine.", "multinet_eval.play.pools.processes:ProcessPool"),
    ]


@hookimpl
def gridworld_protocols() -> Iterable[ProtocolInfo]:
    package = "multinet_eval.settings.asking"
    return [
        ProtocolInfo("step", "One action a reply.", f"{package}:StepByStep"),
        ProtocolInfo("chunk", "Up to K actions a reply, until something unforeseen happens.", f"{package}:Chunk"),
        ProtocolInfo("subgoal", "A subgoal and its actions, until something unforeseen happens.", f"{package}:Subgoal"),
        ProtocolInfo("plan", "All actions at once, played to the end.", f"{package}:Plan"),
    ]


@hookimpl
def gridworld_probes() -> Iterable[ProbeInfo]:
    package = "multinet_eval.probing.probes"
    return [
        ProbeInfo("board", "A transcription of the whole board.", f"{package}.boards:TranscriptionProbe"),
        ProbeInfo("cell", "What is on a cell.", f"{package}.things:CellProbe"),
        ProbeInfo("distance", "How many actions the goal is away.", f"{package}.agent:DistanceProbe"),
        ProbeInfo("effects", "Which actions would have an effect.", f"{package}.agent:EffectsProbe"),
        ProbeInfo("find", "Where a thing is, if it is there at all.", f"{package}.things:FindProbe"),
        ProbeInfo("front", "What is in front of the agent.", f"{package}.things:FrontProbe"),
        ProbeInfo("listing", "All things: colour, kind, state and place.", f"{package}.boards:ListingProbe"),
        ProbeInfo("pose", "Where the agent is, and which way it faces.", f"{package}.agent:PoseProbe"),
    ]


@hookimpl
def gridworld_renderers() -> Iterable[RendererInfo]:
    target = "multinet_eval.datasets.pictures:write_animation"
    return [RendererInfo(name, "A shortest plan, or a recorded episode.", target) for name in ("gif", "webp")]


@hookimpl
def gridworld_metrics() -> Iterable[MetricInfo]:
    package = "multinet_eval.analysis.metrics.builtin"
    return [MetricInfo(name, summary, f"{package}.{target}") for name, summary, target in METRICS]


METRICS = (
    ("success", "Whether the goal was reached.", "outcomes:success"),
    ("spl", "Success weighted by path length.", "outcomes:spl"),
    ("optimality_ratio", "Shortest plan length divided by steps used, for successes.", "outcomes:optimality_ratio"),
    ("ended", "How the episode ended.", "outcomes:ended"),
    (
        "action_efficiency",
        "Squared optimality ratio; 0 for failures.",
        "composite:action_efficiency",
    ),
    ("composite", "Success times efficiency times difficulty.", "composite:composite"),
    ("progress_best", "Closest approach to success.", "outcomes:progress_best"),
    ("regret_total", "Number of wasted actions.", "outcomes:regret_total"),
    ("loss", "Whether an action made success impossible.", "outcomes:loss"),
    ("structural_no_return", "First step after which success is impossible.", "outcomes:structural_no_return"),
    ("mechanism_order", "Types of things in order of use.", "behaviour:mechanism_order"),
    ("distractor_interactions", "Steps that involve distractors.", "behaviour:distractor_interactions"),
    ("route", "Named route that was taken.", "behaviour:route"),
    ("optimal_overlap", "Overlap of visited cells with the closest shortest path.", "behaviour:optimal_overlap"),
    ("revisits", "Moves into a cell visited before.", "behaviour:revisits"),
    ("loops", "Steps that lead back to an earlier state.", "behaviour:loops"),
    ("steps", "Steps of the budget that were used.", "behaviour:steps"),
    ("answered", "Answers per episode.", "behaviour:answered"),
    ("tokens", "Tokens per episode.", "behaviour:tokens"),
    ("tokens_per_success", "Tokens per success.", "behaviour:tokens_per_success"),
)
"""Name, summary and target of each metric, in the order of `docs/reference/metrics.md`."""
