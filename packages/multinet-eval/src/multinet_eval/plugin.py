"""The plugin of this distribution: task suites, probes, protocols, metrics, executors, and a person as a model."""

from collections.abc import Iterable

from gridworld.hookspecs import BenchmarkInfo, ExecutorInfo, MetricInfo, ModelInfo, ProbeInfo, ProtocolInfo, hookimpl


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
def gridworld_models() -> Iterable[ModelInfo]:
    return [ModelInfo("human", "You, with single keys at the terminal.", "multinet_eval.human.human_model:HumanModel")]


@hookimpl
def gridworld_executors() -> Iterable[ExecutorInfo]:
    return [
        ExecutorInfo("local", "Threads of this process.", "multinet_eval.play.pools.pool:LocalPool"),
        ExecutorInfo("ray", "Actors of a Ray cluster.", "multinet_eval.play.pools.ray:RayPool"),
        ExecutorInfo("processes", "Processes of this machine.", "multinet_eval.play.pools.processes:ProcessPool"),
    ]


@hookimpl
def gridworld_protocols() -> Iterable[ProtocolInfo]:
    package = "multinet_eval.settings.protocols"
    return [
        ProtocolInfo("step", "One action a reply.", f"{package}:StepByStep"),
        ProtocolInfo("chunk", "Up to so many actions a reply, until something unforeseen happens.", f"{package}:Chunk"),
        ProtocolInfo("subgoal", "A subgoal and its actions, until something unforeseen happens.", f"{package}:Subgoal"),
        ProtocolInfo("plan", "All actions at once, played to the end.", f"{package}:Plan"),
    ]


@hookimpl
def gridworld_probes() -> Iterable[ProbeInfo]:
    package = "multinet_eval.probing.probes"
    return [
        ProbeInfo("board", "A transcription of the whole board.", f"{package}.transcription:TranscriptionProbe"),
        ProbeInfo("cell", "What is on a cell.", f"{package}.cell:CellProbe"),
        ProbeInfo("distance", "How many actions the goal is away.", f"{package}.distance:DistanceProbe"),
        ProbeInfo("effects", "Which actions would have an effect.", f"{package}.effects:EffectsProbe"),
        ProbeInfo("find", "Where a thing is, if it is there at all.", f"{package}.find:FindProbe"),
        ProbeInfo("front", "What is in front of the agent.", f"{package}.front:FrontProbe"),
        ProbeInfo("listing", "All things: colour, kind, state and place.", f"{package}.listing:ListingProbe"),
        ProbeInfo("pose", "Where the agent is, and which way it faces.", f"{package}.pose:PoseProbe"),
    ]


@hookimpl
def gridworld_metrics() -> Iterable[MetricInfo]:
    package = "multinet_eval.analysis.metrics.builtin"
    return [MetricInfo(name, summary, f"{package}.{target}") for name, summary, target in METRICS]


METRICS = (
    ("success", "Whether the goal was reached.", "outcome:success"),
    ("spl", "Success weighted by path length.", "outcome:spl"),
    ("optimality_ratio", "The length of a shortest plan by the steps used, of a success.", "outcome:optimality_ratio"),
    ("ended", "How it ended.", "outcome:ended"),
    (
        "action_efficiency",
        "The squared share of needed actions, of a success.",
        "composite:action_efficiency",
    ),
    ("composite", "Success by efficiency by difficulty.", "composite:composite"),
    ("progress_best", "How near to success it came.", "progress:progress_best"),
    ("progress_final", "How near to success it was at its end.", "progress:progress_final"),
    ("regret_total", "How many actions were wasted.", "regret:regret_total"),
    ("regret_mean", "How much of an action was wasted by each.", "regret:regret_mean"),
    ("loss", "Whether an action made success impossible.", "regret:loss"),
    ("structural_no_return", "The step after which nothing wins any more.", "regret:structural_no_return"),
    ("budget_no_return", "The step after which the budget does not suffice.", "regret:budget_no_return"),
    ("chain_kept", "Whether the order of the dependency chain was kept.", "mechanisms:chain_kept"),
    ("chain_used", "The share of the dependency chain that was used.", "mechanisms:chain_used"),
    ("mechanism_order", "The types of things in the order used.", "mechanisms:mechanism_order"),
    ("distractor_interactions", "Steps in which distractors took part.", "mechanisms:distractor_interactions"),
    ("route", "Which of the named routes was taken.", "paths:route"),
    ("route_overlap", "The share of a named route that was visited.", "paths:route_overlap"),
    ("optimal_path", "Which of several shortest paths was walked.", "paths:optimal_path"),
    ("optimal_overlap", "The overlap of cells with the nearest shortest path.", "paths:optimal_overlap"),
    ("revisits", "Moves that enter a cell again.", "paths:revisits"),
    ("loops", "Steps that lead back to an earlier state.", "paths:loops"),
    ("no_effect_share", "The share of actions that changed nothing.", "answers:no_effect_share"),
    ("illegal_share", "The share of answers outside the action space.", "answers:illegal_share"),
    ("unparsable_share", "The share of answers in another form.", "answers:unparsable_share"),
    ("refused_share", "The share of answers that were declined.", "answers:refused_share"),
    ("lost_steps", "Steps without a usable answer.", "answers:lost_steps"),
    ("steps", "Steps of the budget that were used.", "effort:steps"),
    ("requests", "Requests that were answered, by episode.", "effort:requests"),
    ("requests_per_step", "Requests by step.", "effort:requests_per_step"),
    ("requests_per_success", "Requests by success.", "effort:requests_per_success"),
    ("tokens", "Tokens, by episode.", "effort:tokens"),
    ("tokens_per_step", "Tokens by step.", "effort:tokens_per_step"),
    ("tokens_per_success", "Tokens by success.", "effort:tokens_per_success"),
    ("seconds", "Seconds of requests, by episode.", "effort:seconds"),
    ("seconds_per_step", "Seconds by step.", "effort:seconds_per_step"),
    ("seconds_per_success", "Seconds by success.", "effort:seconds_per_success"),
)
"""Name, summary and target of each metric, in the order of `docs/metrics.md`."""
