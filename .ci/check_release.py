"""Check that dist/, the version, CHANGELOG.md and the tag of this commit agree; `nox -s release` runs this."""

import re
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def find_problems(version: str, changelog: str, tags: Sequence[str], built: Collection[str]) -> list[str]:
    """Return the contradictions to a release of the version.

    Args:
        version: that of all distributions.
        changelog: the text of CHANGELOG.md.
        tags: tags of this commit. Without any, the newest section may still be "Unreleased".
        built: names of the files in dist/.
    """
    problems = [
        f"tag {tag}: the version is {version}, so the tag has to be v{version}" for tag in tags if tag != f"v{version}"
    ]
    newest = (SECTION.findall(changelog) or [""])[0]
    allowed = [rf"{re.escape(version)} - \d{{4}}-\d\d-\d\d", *([] if tags else ["Unreleased"])]
    if not any(re.fullmatch(each, newest) for each in allowed):
        problems.append(f"CHANGELOG.md: the newest section is '{newest}', expected '{version} - YEAR-MONTH-DAY'")
    names = sorted(path.parent.name.replace("-", "_") for path in ROOT.glob("packages/*/pyproject.toml"))
    expected = {f"{name}-{version}{end}" for name in names for end in (".tar.gz", "-py3-none-any.whl")}
    problems += [f"dist/{name}: missing" for name in sorted(expected - set(built))]
    return problems + [f"dist/{name}: not of this release" for name in sorted(set(built) - expected)]


def main() -> None:
    """Print what is ready and what is left to do; exit with 1 if something is contradictory."""
    written = (ROOT / "packages/gridworld-core/src/gridworld/_version.py").read_text(encoding="utf-8")
    version = written.split('"')[1]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    listed = subprocess.run(
        ["git", "tag", "--points-at", "HEAD", "--list", "v*"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    tags = listed.stdout.split()
    built = [path.name for path in (ROOT / "dist").iterdir()]
    if problems := find_problems(version, changelog, tags, built):
        sys.exit("\n".join(problems))
    print(f"dist/ has the wheels and sdists of version {version}")
    if not tags:
        print(f"not tagged: a release needs the section '{version} - DATE' in CHANGELOG.md, and the tag v{version}")


if __name__ == "__main__":
    main()
