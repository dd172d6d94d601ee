"""What is used where nothing is named."""

DEFAULT_BACKEND = "minigrid"
"""The backend that is used where neither a backend nor a tiling is named."""
TILING_BACKEND = "multigrid"
"""The backend that is used where a tiling is named and no backend."""
ALL_TILINGS = "all"
"""Stands for all installed tilings."""
DEFAULT_SUITE = "validation_10"
"""The suite that is played where none is named."""
EXAMPLES_SUITE = "worked_examples"
"""The suite that worked examples are chosen from where none is named."""
RUNS = "runs"
"""The folder in which runs are recorded where none is named."""
RUNS_VARIABLE = "MULTINET_RUNS"
"""The environment variable that names another one."""
LINE_SECONDS = 30.0
"""How often a line says how far something has come, where there is no terminal."""
GRACE = 10.0
"""The seconds for which requests in flight may still be answered once a run is to stop."""
PATIENCE = 120.0
"""For how many seconds a server may answer nothing, unless told otherwise."""
MAX_STATES_OF_METRICS = 2_000_000
"""The size up to which tasks are tabulated for metrics: some 500 MB, and some seconds for the first episode."""
