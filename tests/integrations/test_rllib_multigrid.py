"""The adapter of the package ``multigrid`` makes a task's environment one of RLlib."""

from multigrid.rllib import to_rllib_env
from ray.rllib.env import MultiAgentEnv

from gridworld.task_spec import TaskSpecification
from gridworld_multigrid.pypi_env import TaskMultiGridEnv

CORRIDOR = {
    "task_id": "corridor",
    "seed": 1,
    "difficulty_tier": 1,
    "maze": {"dimensions": [4, 3], "start": [1, 1], "goal": [2, 1]},
    "goal": {"type": "reach_position"},
    "max_steps": 10,
}


def test_a_task_is_played_through_rllibs_interface() -> None:
    env = to_rllib_env(TaskMultiGridEnv, default_config={"task": TaskSpecification.from_dict(CORRIDOR)})()
    assert isinstance(env, MultiAgentEnv)

    observations, _ = env.reset()
    _, rewards, terminations, truncations, _ = env.step({0: 2})

    assert observations.keys() == {0}
    assert rewards == {0: 0.91}
    assert (terminations["__all__"], truncations["__all__"]) == (True, False)
