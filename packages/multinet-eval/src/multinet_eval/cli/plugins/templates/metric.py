from gridworld.hookspecs import MetricInfo
from multinet_eval import SCORE, EpisodeAnalysis, metric


@metric(SCORE)
def turning(episode: EpisodeAnalysis) -> float | None:
    """Share of actions that are turns; in [0, 1]. Undefined without an action."""
    actions = [step.action for step in episode.steps if step.action is not None]
    turns = sum(action in (0, 1) for action in actions)
    return turns / len(actions) if actions else None


TURNING = MetricInfo("turning", "The share of turns.", f"{__name__}:turning")
