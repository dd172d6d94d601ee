"""Files of prices: what they hold, and what is said about those that hold something else."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import ArgumentError
from gridworld.model_interface import Usage
from multinet_eval.settings.spending import Prices, read_prices

GOOD = """
["openai/my-model"]
input = 0.15     # of prompts
output = 0.6

["ollama/qwen2.5vl:7b"]
input = 0
output = 0
"""


def test_a_file_has_a_table_for_each_model(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(GOOD, encoding="utf-8-sig")
    assert read_prices(path) == {"openai/my-model": Prices(0.15, 0.6), "ollama/qwen2.5vl:7b": Prices(0, 0)}


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.floats(0, 1e3), st.floats(0, 1e3))
def test_cost_adds_prompts_and_replies(prompts: int, replies: int, price: float, other: float) -> None:
    cost = Prices(price, other).cost(prompts, replies)
    assert cost == pytest.approx(prompts / 1e6 * price + replies / 1e6 * other)
    assert Prices(price, other).cost_of(Usage(prompts, replies)) == cost


def test_unknown_usage_costs_nothing() -> None:
    assert Prices(1.0, 2.0).cost_of(Usage()) == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[model\n", "it is not TOML: "),
        ("input = 1", "['input']: expected a table with input and output, got 1"),
        ("[m]\ninput = 1", "['m']: output is missing, the price of a million tokens"),
        (
            "[m]\ninput = 1\nouput = 2",
            "['m']: expected input, output, cached_input, cache_write, got 'ouput' (did you mean 'output'?)",
        ),
        ("[m]\ninput = -1\noutput = 2", "['m']: input: expected a number of at least 0, got -1"),
        ("[m]\ninput = nan\noutput = 2", "['m']: input: expected a number of at least 0, got nan"),
        ("[m]\ninput = true\noutput = 2", "['m']: input: expected a number of at least 0, got "),
        ("[m]\ninput = '1'\noutput = 2", "['m']: input: expected a number of at least 0, got '1'"),
        (
            "[m.5]\ninput = 1\noutput = 2",
            "['m']: expected input and output, got tables: put names with dots in quotation marks",
        ),
    ],
)
def test_a_malformed_price_file_is_refused_with_the_place(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(ArgumentError) as caught:
        read_prices(path)
    assert str(caught.value).startswith(f"{path}: {told}")
