"""Defaults of settings and options."""

DEFAULT_BACKEND = "minigrid"
"""Backend where neither a backend nor a tiling is named."""
TILING_BACKEND = "multigrid"
"""Backend where a tiling is named and no backend."""
ALL_TILINGS = "all"
"""Stands for all installed tilings."""
DEFAULT_SUITE = "validation_10"
"""Suite to play."""
EXAMPLES_SUITE = "worked_examples"
"""Suite to choose worked examples from."""
RUNS = "runs"
"""Folder for recorded runs."""
RUNS_VARIABLE = "MULTINET_RUNS"
"""Environment variable with another folder for recorded runs."""
LINE_SECONDS = 30.0
"""Seconds between two lines of progress without a terminal."""
GRACE = 10.0
"""Seconds for which a stopping run waits for requests in flight."""
PATIENCE = 120.0
"""Seconds for which a server may answer nothing."""
MAX_STATES_OF_METRICS = 2_000_000
"""Size up to which tasks are tabulated for metrics: some 500 MB, and some seconds for the first episode."""
