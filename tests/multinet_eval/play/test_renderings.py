"""A prompt is rendered once for each question and attempt, and sent again as it is after a server's fault."""

from pathlib import Path

import pytest

from gridworld.model_interface import AnswerFault, AnswerOutcome, ModelInput, ModelOutput, Prompt, Reply, Text
from gridworld.model_interface.prompts import question, reply_of
from multinet_eval.settings.asking import AnswerPolicies
from multinet_eval.settings.run_settings import CacheSettings
from support.runs import AskedModel, record_run
from support.worlds import corridor


class Counted(AskedModel):
    """Counts the prompts of episodes; its second request fails, and its third reply cannot be understood."""

    def __init__(self) -> None:
        super().__init__()
        self.rendered: list[tuple[int, int]] = []

    @property
    def samples(self) -> bool:
        return False

    def prompt(self, input: ModelInput) -> Prompt:
        if input.episode is not None:
            self.rendered.append((input.step_number, input.attempt))
        return question(Text(f"{input.step_number} {input.correction}"))

    def send(self, prompt: Prompt) -> Reply:
        self.asked.append(prompt)
        if len(self.asked) == 2:
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "busy", retry_after=0.0)
        return reply_of("hm" if len(self.asked) == 3 else "2", sent=prompt)

    def read(self, reply: Reply, input: ModelInput) -> ModelOutput:
        if reply.text == "hm":
            raise AnswerFault(AnswerOutcome.UNPARSABLE, "not a number")
        return ModelOutput(int(reply.text))


@pytest.mark.parametrize("cached", [False, True])
def test_each_question_is_rendered_once(tmp_path: Path, cached: bool) -> None:
    model, task = Counted(), corridor("@...G", max_steps=9)
    cache = CacheSettings(str(tmp_path / "cache")) if cached else None
    policies = AnswerPolicies(on_unparsable="retry:1,fail", on_infrastructure="retry:1,fail")
    record_run(tmp_path / "run", [task], model, policies=policies, cache=cache)
    assert model.rendered == [(0, 0), (1, 0), (1, 1), (2, 0), (3, 0)]
    assert model.asked[1] is model.asked[2]
    assert len(model.asked) == 6
    again = Counted()
    record_run(tmp_path / "again", [task], again, policies=policies, cache=cache)
    assert len(again.asked) == (1 if cached else 6)
