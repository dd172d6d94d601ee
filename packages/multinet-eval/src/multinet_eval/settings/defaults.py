"""Defaults of settings and options."""

DEFAULT_BACKEND = "minigrid"
"""Default backend if neither a backend nor a tiling is named."""
TILING_BACKEND = "multigrid"
"""Default backend if a tiling but no backend is named."""
ALL_TILINGS = "all"
"""Option value that stands for all installed tilings."""
DEFAULT_SUITE = "validation_10"
"""Default suite to play."""
EXAMPLES_SUITE = "worked_examples"
"""Default suite from which worked examples are chosen."""
PERSON_PREFIX = "human/"
"""Prefix of the model names of persons; their pseudonyms follow."""
RUNS = "runs"
"""Default folder for recorded runs."""
RUNS_VARIABLE = "MULTINET_RUNS"
"""Environment variable that overrides the folder for recorded runs."""
LINE_SECONDS = 30.0
"""Seconds between two progress lines without a terminal."""
GRACE = 10.0
"""Seconds for which a stopping run waits for requests in flight."""
PATIENCE = 120.0
"""Seconds without any answer from a server before a run stops."""
MAX_STATES_OF_METRICS = 2_000_000
"""Maximum number of states of a task that metrics tabulate: about 500 MB, and a few seconds for the first episode."""
