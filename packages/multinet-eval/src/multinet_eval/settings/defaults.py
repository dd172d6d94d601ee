"""Defaults of settings and options."""

DEFAULT_BACKEND = "minigrid"
"""Name of the backend if neither a backend nor a tiling is named."""
TILING_BACKEND = "multigrid"
"""Name of the backend if a tiling is named but no backend."""
ALL_TILINGS = "all"
"""Word that stands for all installed tilings."""
DEFAULT_SUITE = "validation_10"
"""Name of the suite to play."""
EXAMPLES_SUITE = "worked_examples"
"""Name of the suite from which worked examples are chosen."""
RUNS = "runs"
"""Folder for recorded runs."""
RUNS_VARIABLE = "MULTINET_RUNS"
"""Environment variable that overrides the folder for recorded runs."""
LINE_SECONDS = 30.0
"""Seconds between two lines of progress without a terminal."""
GRACE = 10.0
"""Seconds for which a stopping run waits for requests in flight."""
PATIENCE = 120.0
"""Seconds without any answer of a server before a run stops."""
MAX_STATES_OF_METRICS = 2_000_000
"""Maximum number of states of a task that metrics tabulate: about 500 MB, and some seconds for the first episode."""
