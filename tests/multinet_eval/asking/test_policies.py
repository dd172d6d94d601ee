"""What is to happen after answers that cannot be used, and how that is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.model_interface import AnswerOutcome
from multinet_eval.settings.asking import AnswerPolicies, FaultPolicy, LastResort

SKIP, FAIL = LastResort.SKIP, LastResort.FAIL


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("skip", FaultPolicy(0, SKIP)),
        ("fail", FaultPolicy(0, FAIL)),
        ("retry:2", FaultPolicy(2, SKIP)),
        ("retry:0", FaultPolicy(0, SKIP)),
        ("retry:12,skip", FaultPolicy(12, SKIP)),
        ("retry:2,fail", FaultPolicy(2, FAIL)),
        (" Retry: 2, FAIL ", FaultPolicy(2, FAIL)),
    ],
)
def test_a_policy_is_a_number_of_retries_and_what_follows_them(text: str, expected: FaultPolicy) -> None:
    assert FaultPolicy.parse(text) == expected


def test_what_follows_the_retries_can_be_left_to_the_caller() -> None:
    assert FaultPolicy.parse("retry:3", then=FAIL) == FaultPolicy(3, FAIL)
    assert FaultPolicy.parse("retry:3,skip", then=FAIL) == FaultPolicy(3, SKIP)


@given(st.builds(FaultPolicy, st.integers(0, 999_999), st.sampled_from(LastResort)))
def test_a_policy_reads_back_as_written(policy: FaultPolicy) -> None:
    assert FaultPolicy.parse(str(policy)) == policy


@pytest.mark.parametrize(
    "text",
    ["", "retry", "retry:", "retry:two", "retry:-1", "retry:1.5", "retry:1,", "retry:1,retry:2", "skip,fail", "no"],
)
def test_another_text_is_refused_with_the_forms_that_there_are(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected skip, fail, retry:N, retry:N,skip or retry:N,fail, got '.*'"):
        FaultPolicy.parse(text)


def test_by_default_only_unreadable_answers_and_infrastructure_are_tried_again() -> None:
    policies = AnswerPolicies()
    assert {outcome: str(policies.of(outcome)) for outcome in AnswerOutcome if outcome not in ("ok", "no_effect")} == {
        "unparsable": "retry:2,skip",
        "empty": "retry:2,skip",
        "truncated": "retry:2,skip",
        "refused": "skip",
        "illegal": "skip",
        "infrastructure": "retry:5,fail",
    }


def test_policies_may_be_given_as_texts() -> None:
    assert AnswerPolicies(on_refused="retry:1") == AnswerPolicies(on_refused=FaultPolicy(1, SKIP))
    assert AnswerPolicies(on_infrastructure="retry:1").on_infrastructure == FaultPolicy(1, FAIL)


@pytest.mark.parametrize("policy", ["skip", "retry:3,skip", FaultPolicy(3, SKIP)])
def test_no_step_is_lost_to_an_infrastructure_fault(policy: FaultPolicy | str) -> None:
    with pytest.raises(ValueError, match="expected retry:N or fail"):
        AnswerPolicies(on_infrastructure=policy)
