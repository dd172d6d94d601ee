"""Train a policy with PPO of Stable-Baselines3 on thousands of environments at once, in one process.

pip install stable-baselines3
python examples/train_ppo.py tiers/t2_01_first_key --steps 2_000_000
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

ENVIRONMENT_ID = "gridworld_minigrid:gridworld/MiniGrid-v0"


class FlatViews(VecEnv):
    """A vector environment of Gymnasium's as Stable-Baselines3 has it: symbolic views alone, each as one vector.

    Args:
        env: it resets ended episodes in the same step.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        assert env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
        view = env.single_observation_space["image"]
        space = gymnasium.spaces.Box(0, 255, (int(np.prod(view.shape)),), np.uint8)
        self.render_mode = None
        super().__init__(env.num_envs, space, env.single_action_space)
        self.seconds = 0.0
        """The processor time that steps of the environment have taken."""
        self.ended = self.won = 0
        """How many episodes have ended, and how many of them with success, since they were set to 0."""
        self._env = env
        self._actions: Any = None

    def reset(self) -> VecEnvObs:
        """Begin new episodes."""
        observations, _ = self._env.reset()
        return _flat(observations["image"])

    def step_async(self, actions: np.ndarray) -> None:
        """Take note of the actions."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Take them."""
        started = time.process_time()
        observations, rewards, terminations, truncations, told = self._env.step(self._actions)
        over = np.flatnonzero(terminations | truncations)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for copy in over.tolist():
            last = told["final_obs"][copy]["image"].reshape(-1)
            cut = bool(truncations[copy] and not terminations[copy])
            infos[copy] = {"terminal_observation": last, "TimeLimit.truncated": cut}
            self.won += int(told["final_info"]["success"][copy])
        self.ended += len(over)
        self.seconds += time.process_time() - started
        return _flat(observations["image"]), rewards.astype(np.float32), terminations | truncations, infos

    def close(self) -> None:
        """Close the environment."""
        self._env.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute of the vector environment, for each copy."""
        return [getattr(self._env, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Nothing of single copies can be set."""
        raise NotImplementedError(attr_name)

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """What the method of the vector environment says of each copy, such as `action_masks` for MaskablePPO."""
        of_all = getattr(self._env, method_name)(*args, **kwargs)
        return [of_all[copy] for copy in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """They are not wrapped."""
        return [False] * len(list(self._get_indices(indices)))


def _flat(images: np.ndarray) -> np.ndarray:
    return images.reshape(len(images), -1)


def train(task: Any, steps: int, copies: int = 128, seed: int = 0) -> tuple[PPO, FlatViews]:
    """A policy for a task, and the environment that it has been trained in.

    Args:
        task: what ``gymnasium.make`` takes as ``task``.
        steps: how many steps all copies together take.
        copies: how many environments.
        seed: seeds the policy.
    """
    env = FlatViews(gymnasium.make_vec(ENVIRONMENT_ID, num_envs=copies, task=task, autoreset_mode="SameStep"))
    model = PPO(
        "MlpPolicy",
        env,
        seed=seed,
        n_steps=64,
        batch_size=512,
        n_epochs=8,
        learning_rate=1e-3,
        gamma=0.97,
        ent_coef=0.01,
        device="cpu",
    )
    model.learn(total_timesteps=steps)
    return model, env


def success_rate(model: PPO, env: FlatViews, steps: int = 400) -> float:
    """The share of episodes that end with success, of those that end within so many steps."""
    observations = env.reset()
    env.ended = env.won = 0
    for _ in range(steps):
        actions, _ = model.predict(observations)  # type: ignore[arg-type]  # arrays, as `reset` above returns
        observations, *_ = env.step(actions)
    return env.won / max(1, env.ended)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, and say how well it went and what the environment took of the time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", nargs="?", default="tiers/t1_01_open_room")
    parser.add_argument("--steps", type=int, default=500_000)
    options = parser.parse_args(arguments)
    started = time.process_time()
    model, env = train(options.task, options.steps)
    spent = time.process_time() - started
    print(
        f"{options.steps} steps in {spent:.0f} s of processor time, {env.seconds / spent:.1%} of it in the environment"
    )
    print(f"{options.task}: {success_rate(model, env):.0%} of episodes end with success")


if __name__ == "__main__":
    main()
