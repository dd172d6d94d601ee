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
    from multinet_eval.analysis.comparing import compare_runs
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
    from multinet_eval.analysis.metrics.measuring import load_metrics
    from multinet_eval.analysis.metrics.metric_type import Metric, WeightedMetric, metric, weighted_metric
    from multinet_eval.analysis.recorded_run import RecordedRun, read
    from multinet_eval.evaluation_harness import EvaluationHarness
    from multinet_eval.experiments.comparison import compare_conditions
    from multinet_eval.experiments.experiment_file import read_experiment
    from multinet_eval.experiments.experiment_folder import ExperimentFolder
    from multinet_eval.experiments.playing import play_experiment
    from multinet_eval.experiments.preparing import prepare_runs
    from multinet_eval.play.forecast import make_forecast
    from multinet_eval.play.observers import RunObserver, RunStart, make_observer
    from multinet_eval.play.run import Run, RunOutcome, new_run, open_run
    from multinet_eval.probing.probe import Grade, Probe, ProbeQuestion, Scene, Unreadable, verdict
    from multinet_eval.probing.probes.answers import read_integer
    from multinet_eval.probing.running import load_probes
    from multinet_eval.record.events import Place
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
    from multinet_eval.statistics.intervals import wilson_interval
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
    "Place",
    "PlannedEpisode",
    "Prices",
    "Probe",
    "ProbeQuestion",
    "Protocol",
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
    "WeightedMetric",
    "__version__",
    "calibrate_runs",
    "compare_conditions",
    "compare_runs",
    "find_runs",
    "load_metrics",
    "load_probes",
    "make_forecast",
    "make_leaderboard",
    "make_model",
    "make_observer",
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
    "wilson_interval",
]

MODULES = {
    "calibrate_runs": "analysis.calibration",
    "compare_runs": "analysis.comparing",
    "Leaderboard": "analysis.leaderboard",
    "make_leaderboard": "analysis.leaderboard",
    "AMOUNT": "analysis.metrics.aggregation",
    "MEAN": "analysis.metrics.aggregation",
    "PER_SUCCESS": "analysis.metrics.aggregation",
    "RATE": "analysis.metrics.aggregation",
    "SCORE": "analysis.metrics.aggregation",
    "SHARES": "analysis.metrics.aggregation",
    "STEPS": "analysis.metrics.aggregation",
    "Aggregation": "analysis.metrics.aggregation",
    "EpisodeAnalysis": "analysis.metrics.episode_analysis",
    "load_metrics": "analysis.metrics.measuring",
    "Metric": "analysis.metrics.metric_type",
    "WeightedMetric": "analysis.metrics.metric_type",
    "metric": "analysis.metrics.metric_type",
    "weighted_metric": "analysis.metrics.metric_type",
    "RecordedRun": "analysis.recorded_run",
    "read": "analysis.recorded_run",
    "EvaluationHarness": "evaluation_harness",
    "compare_conditions": "experiments.comparison",
    "read_experiment": "experiments.experiment_file",
    "ExperimentFolder": "experiments.experiment_folder",
    "play_experiment": "experiments.playing",
    "prepare_runs": "experiments.preparing",
    "make_forecast": "play.forecast",
    "Place": "record.events",
    "RunObserver": "play.observers",
    "RunStart": "play.observers",
    "make_observer": "play.observers",
    "Run": "play.run",
    "RunOutcome": "play.run",
    "new_run": "play.run",
    "open_run": "play.run",
    "Grade": "probing.probe",
    "Probe": "probing.probe",
    "ProbeQuestion": "probing.probe",
    "Scene": "probing.probe",
    "Unreadable": "probing.probe",
    "verdict": "probing.probe",
    "read_integer": "probing.probes.answers",
    "load_probes": "probing.running",
    "Suite": "record.manifest",
    "PlannedEpisode": "record.plan",
    "recorded_results": "record.results",
    "RunDirectory": "record.run_directory",
    "RunOptions": "record.manifest",
    "SuiteMetrics": "record.suite_metrics",
    "find_runs": "record.summary",
    "TaskResult": "record.task_result",
    "make_model": "settings.plugin_objects",
    "AnswerPolicies": "settings.asking",
    "Chunk": "settings.asking",
    "Protocol": "settings.asking",
    "Briefing": "settings.run_settings",
    "RunSettings": "settings.run_settings",
    "BudgetLimits": "settings.spending",
    "Prices": "settings.spending",
    "read_prices": "settings.spending",
    "wilson_interval": "statistics.intervals",
    "verify_run": "verify.verification",
}

if not TYPE_CHECKING:  # so that type checkers know of no other names
    __getattr__ = names_from(__name__, MODULES)
