"""The page against the rules of axe-core, which `nox -s page` installs: contrast, names, order of headings."""

import os
from pathlib import Path
from typing import Any

import pytest

from opened_page import Opener

AXE = Path(os.environ["AXE"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ["", "#episode=0&step=5"])
def test_no_rule_is_violated(fog: Path, opened: Opener, scheme: Any, address: str) -> None:
    with opened(fog, address, color_scheme=scheme, bypass_csp=True) as page:
        page.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        page.page.evaluate(f"{AXE.read_text(encoding='utf-8')}; 0")
        violations = page.page.evaluate(
            "axe.run().then((found) => found.violations.map((each) => [each.id, each.nodes[0].html]))"
        )
        assert violations == []
