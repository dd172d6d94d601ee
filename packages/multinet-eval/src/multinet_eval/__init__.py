"""Evaluation of models on task suites: playing, recording, reading and comparing runs.

This module is the public interface for programs, and for authors of observers, protocols, probes and metrics. The
modules below it are private. Each is imported when one of its names is first used, so that ``multinet --help`` stays
fast.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    __version__: str

    from multinet_eval.analysis.calibration import calibrate_runs
    from multinet_eval.analysis.leaderboard import Leaderboard, make_leaderboard
    from multinet_eval.analysis.metrics.aggregation import (
        AMOUNT,
        MEAN,
        PER_SUCCESS,
        RATE,
        SCORE,
        SHARES,
        STEPS,
        Aggregation,
    )
    from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
    from multinet_eval.analysis.metrics.metric_type import Metric, metric, weighted_metric
    from multinet_eval.analysis.recorded_run import RecordedRun, read
    from multinet_eval.analysis.run_comparison import compare_runs
    from multinet_eval.evaluation_harness import EvaluationHarness
    from multinet_eval.experiments.condition_table import compare_conditions
    from multinet_eval.experiments.experiment_file import read_experiment
    from multinet_eval.experiments.experiment_folder import ExperimentFolder
    from multinet_eval.experiments.playing import play_experiment
    from multinet_eval.experiments.preparing import prepare_runs
    from multinet_eval.play.forecast import make_forecast
    from multinet_eval.play.observers import RunObserver, RunStart, make_observer
    from multinet_eval.play.run import Run, RunOutcome, new_run, open_run
    from multinet_eval.probing.probe import Grade, Probe, ProbeQuestion, Scene, Unreadable, verdict
    from multinet_eval.probing.probes.answer_parts import read_integer
    from multinet_eval.record.events import RecordedPose
    from multinet_eval.record.manifest import RunOptions, Suite
    from multinet_eval.record.plan import PlannedEpisode
    from multinet_eval.record.results import recorded_results
    from multinet_eval.record.run_directory import RunDirectory
    from multinet_eval.record.suite_metrics import SuiteMetrics
    from multinet_eval.record.summary import find_runs
    from multinet_eval.record.task_result import TaskResult
    from multinet_eval.settings.asking import AnswerPolicies, Chunk, Protocol
    from multinet_eval.settings.plugin_objects import make_model
    from multinet_eval.settings.run_settings import Briefing, RunSettings
    from multinet_eval.settings.spending import BudgetLimits, Prices, read_prices
    from multinet_eval.statistics.intervals import mean_interval
    from multinet_eval.verify.verification import verify_run

__all__ = [
    "AMOUNT",
    "MEAN",
    "PER_SUCCESS",
    "RATE",
    "SCORE",
    "SHARES",
    "STEPS",
    "Aggregation",
    "AnswerPolicies",
    "Briefing",
    "BudgetLimits",
    "Chunk",
    "EpisodeAnalysis",
    "EvaluationHarness",
    "ExperimentFolder",
    "Grade",
    "Leaderboard",
    "Metric",
    "PlannedEpisode",
    "Prices",
    "Probe",
    "ProbeQuestion",
    "Protocol",
    "RecordedPose",
    "RecordedRun",
    "Run",
    "RunDirectory",
    "RunObserver",
    "RunOptions",
    "RunOutcome",
    "RunSettings",
    "RunStart",
    "Scene",
    "Suite",
    "SuiteMetrics",
    "TaskResult",
    "Unreadable",
    "__version__",
    "calibrate_runs",
    "compare_conditions",
    "compare_runs",
    "find_runs",
    "make_forecast",
    "make_leaderboard",
    "make_model",
    "make_observer",
    "mean_interval",
    "metric",
    "new_run",
    "open_run",
    "play_experiment",
    "prepare_runs",
    "read",
    "read_experiment",
    "read_integer",
    "read_prices",
    "recorded_results",
    "verdict",
    "verify_run",
    "weighted_metric",
]

NAMES = {
    "analysis.calibration": ("calibrate_runs",),
    "analysis.run_comparison": ("compare_runs",),
    "analysis.leaderboard": ("Leaderboard", "make_leaderboard"),
    "analysis.metrics.aggregation": (
        "AMOUNT",
        "Aggregation",
        "MEAN",
        "PER_SUCCESS",
        "RATE",
        "SCORE",
        "SHARES",
        "STEPS",
    ),
    "analysis.metrics.episode_analysis": ("EpisodeAnalysis",),
    "analysis.metrics.metric_type": ("Metric", "metric", "weighted_metric"),
    "analysis.recorded_run": ("RecordedRun", "read"),
    "evaluation_harness": ("EvaluationHarness",),
    "experiments.condition_table": ("compare_conditions",),
    "experiments.experiment_file": ("read_experiment",),
    "experiments.experiment_folder": ("ExperimentFolder",),
    "experiments.playing": ("play_experiment",),
    "experiments.preparing": ("prepare_runs",),
    "play.forecast": ("make_forecast",),
    "play.observers": ("RunObserver", "RunStart", "make_observer"),
    "play.run": ("Run", "RunOutcome", "new_run", "open_run"),
    "probing.probe": ("Grade", "Probe", "ProbeQuestion", "Scene", "Unreadable", "verdict"),
    "probing.probes.answer_parts": ("read_integer",),
    "record.events": ("RecordedPose",),
    "record.manifest": ("RunOptions", "Suite"),
    "record.plan": ("PlannedEpisode",),
    "record.results": ("recorded_results",),
    "record.run_directory": ("RunDirectory",),
    "record.suite_metrics": ("SuiteMetrics",),
    "record.summary": ("find_runs",),
    "record.task_result": ("TaskResult",),
    "settings.asking": ("AnswerPolicies", "Chunk", "Protocol"),
    "settings.plugin_objects": ("make_model",),
    "settings.run_settings": ("Briefing", "RunSettings"),
    "settings.spending": ("BudgetLimits", "Prices", "read_prices"),
    "statistics.intervals": ("mean_interval",),
    "verify.verification": ("verify_run",),
}
"""Names by the module that defines them."""

if not TYPE_CHECKING:  # so that type checkers know of no other names
    __getattr__ = names_from(__name__, {name: module for module, names in NAMES.items() for name in names})
