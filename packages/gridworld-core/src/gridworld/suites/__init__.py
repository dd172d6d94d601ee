"""Task suites, and looking up tasks by name."""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.suites.folders import (
        Suite,
        SuiteError,
        benchmark_place,
        load_folder,
        of_tiers,
        read_folder,
    )
    from gridworld.suites.named import (
        TaskSource,
        find_suite,
        find_tasks,
        load_benchmark,
        read_installed,
        read_named_task,
        read_suite,
    )

__all__ = [
    "Suite",
    "SuiteError",
    "TaskSource",
    "benchmark_place",
    "find_suite",
    "find_tasks",
    "load_benchmark",
    "load_folder",
    "of_tiers",
    "read_folder",
    "read_installed",
    "read_named_task",
    "read_suite",
]

MODULES = {
    "Suite": "folders",
    "SuiteError": "folders",
    "TaskSource": "named",
    "benchmark_place": "folders",
    "find_suite": "named",
    "find_tasks": "named",
    "load_benchmark": "named",
    "load_folder": "folders",
    "of_tiers": "folders",
    "read_folder": "folders",
    "read_installed": "named",
    "read_named_task": "named",
    "read_suite": "named",
}

__getattr__ = names_from(__name__, MODULES)
