from gridworld.hookspecs import ObserverInfo
from multinet_eval import PlannedEpisode, RunObserver, TaskResult


class Bell(RunObserver):
    """Rings the bell of the terminal when a task is solved."""

    def episode_finished(self, episode: PlannedEpisode, result: TaskResult) -> None:
        if result.success:
            print("\a", end="", flush=True)


BELL = ObserverInfo("bell", "Rings when a task is solved.", f"{__name__}:Bell")
