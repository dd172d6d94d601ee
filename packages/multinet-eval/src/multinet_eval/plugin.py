"""The plugin of this distribution: its task suites, probes and protocols, its executors, and a person as a model."""

from collections.abc import Iterable

from gridworld.hookspecs import BenchmarkInfo, ExecutorInfo, ModelInfo, ProbeInfo, ProtocolInfo, hookimpl


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
        ExecutorInfo("local", "Threads of this process.", "multinet_eval.runs.executors:LocalExecutor"),
        ExecutorInfo("ray", "Actors of a Ray cluster.", "multinet_eval.runs.ray_executor:RayExecutor"),
        ExecutorInfo("processes", "Processes of this machine.", "multinet_eval.runs.process_executor:ProcessExecutor"),
    ]


@hookimpl
def gridworld_protocols() -> Iterable[ProtocolInfo]:
    package = "multinet_eval.asking.protocols"
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
