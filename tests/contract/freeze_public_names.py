"""Write the list of public names anew: after a change that is meant, and only then.

python tests/contract/freeze_public_names.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.sources import keep_names

if __name__ == "__main__":
    keep_names()
