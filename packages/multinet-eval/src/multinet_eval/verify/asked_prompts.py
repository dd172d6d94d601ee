"""Whether recorded requests are those that the model would send: prompts rendered and pictures drawn again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import ArgumentError, GridworldError, PluginFault, Problem
from gridworld.explaining.explanation import PROMPTS_VERSION
from gridworld.model_interface import ModelInput, Picture, Prompt
from gridworld.model_interface.chat_model import ChatModel
from gridworld.plugins import get_registry
from gridworld.plugins.discovery import UNKNOWN
from gridworld.plugins.registry import version_of
from gridworld.support.faults import RAISED
from gridworld.support.files import parse_json
from multinet_eval.play.model_caller import render_prompt
from multinet_eval.play.recorder import pictures_of, texts_of
from multinet_eval.record.confirmation import is_harmless
from multinet_eval.record.lines import replaced
from multinet_eval.record.manifest import drawing_versions
from multinet_eval.record.run_directory import SUFFIXES, TEXTS, RunDirectory
from multinet_eval.record.sent_requests import ReadRequest, sent_input
from multinet_eval.settings.plugin_objects import elicited, make_model
from multinet_eval.verify.json_differences import json_differences


@attrs.frozen(eq=False)
class PromptCheck:
    """Check of recorded requests against the inputs that led to them."""

    model: ChatModel | None
    """The model, which sends nothing; None where prompts cannot be rendered again."""
    is_plain: bool
    """Whether the model of the run was given its inputs as they are, without a prompt."""
    draws: bool
    """Whether pictures are drawn here as they were in the run."""
    words: bool = True
    """Whether texts are made here as they were in the run."""

    def problems(self, given: ModelInput, sent: Sequence[ReadRequest], left_out: Sequence[str]) -> Iterator[Problem]:
        """Report where the first request for an input differs from the expected one.

        Args:
            given: the input, drawn again.
            sent: the recorded requests.
            left_out: parts that were omitted from them.
        """
        if not sent:
            yield Problem("sent", "found nothing, expected what was sent")
            return
        expected = self._expected(given, sent[0], left_out)
        if expected is not None:
            found = self._comparable(*_of_record(sent[0])) | {"settings": dict(sent[0].settings)}
            right = self._comparable(*_of_prompt(expected)) | {"settings": self._settings(sent[0], left_out)}
            if found == right:
                return
            as_written = parse_json(replaced(json.dumps(right, ensure_ascii=False)))
            for each in json_differences(found, as_written, "sent[0]"):
                yield Problem(each.path, f"found {each}")
        elif self.draws:
            known = {picture.digest for picture in all_pictures(given)}
            for digest in (part.picture for message in sent[0].messages for part in message.parts if part.picture):
                if digest not in known:
                    yield Problem("sent[0]", f"found the picture {digest}, which is not what the input shows")

    def _expected(self, given: ModelInput, sent: ReadRequest, left_out: Sequence[str]) -> Prompt | None:
        if not self.words:
            return None
        if self.is_plain:  # the record tells whether the model looks at pictures
            return sent_input(texts_of(given), pictures_of(given) if sent.has_pictures else []).prompt
        return None if self.model is None else self.model.without(render_prompt(self.model, given), left_out)

    def _settings(self, sent: ReadRequest, left_out: Sequence[str]) -> dict[str, Any]:
        """Return the model's own settings if it tells them, otherwise the recorded ones."""
        usual = {} if self.model is None else self.model.settings_without(left_out)
        return dict(usual) or dict(sent.settings)

    def _comparable(self, messages: list[list[Any]], schema: Any, seed: int | None) -> dict[str, Any]:
        """Return the content of a request, without digests of pictures if these are drawn differently here."""
        if not self.draws:
            messages = [[each if isinstance(each, str) else each[:1] for each in message] for message in messages]
        return {"messages": messages, "schema": schema, "seed": seed}


def _of_prompt(prompt: Prompt) -> tuple[list[list[Any]], Any, int | None]:
    messages = [
        [message.role, *([each.label, each.digest] if isinstance(each, Picture) else each for each in message.blocks())]
        for message in prompt.messages
    ]
    return messages, prompt.schema, prompt.seed


def _of_record(request: ReadRequest) -> tuple[list[list[Any]], Any, int | None]:
    return [message.summary for message in request.messages], request.schema, request.seed


def all_pictures(given: ModelInput) -> Iterator[Picture]:
    """Yield all pictures of an input, those of its explanation and of earlier turns included."""
    yield from pictures_of(given)
    yield from (Picture(each.image) for each in (() if given.explanation is None else given.explanation.pictures))
    for turn in given.turns:
        yield from pictures_of(turn.input)


def prompt_check(directory: RunDirectory, place: str) -> tuple[PromptCheck, list[Problem]]:
    """Make the check of a run's requests, and report what it cannot check here, and why.

    The model is made without credential and connection, and with the files that are kept in the run in place of those
    that its arguments name. In the run of somebody else, no other argument may name anything outside of the run.

    Args:
        directory: the run.
        place: file of its manifest, for messages.
    """
    manifest = directory.manifest
    is_plain = manifest.fingerprint.get("prompt") is None
    unchecked, model = list[Problem](), None
    versions = {**manifest.drawn_with, **manifest.played_with}
    here = {name: drawing_versions().get(name) or version_of(name) for name in versions}
    others = sorted(name for name, played in versions.items() if here[name] not in (played, UNKNOWN))
    draws = not others
    # Another version of the prompts is reported with the fingerprint.
    words = manifest.drawn_with.keys() >= set(others) and manifest.fingerprint.get("prompt_version") == PROMPTS_VERSION
    if others:
        name = others[0]
        reason = f"the run was played with {name} {versions[name]}, and {here[name]} is installed"
        unchecked.append(Problem(f"{place}: pictures", f"{reason}: pixels are not compared"))
    if not draws and not (is_plain and words):
        unchecked.append(Problem(f"{place}: fingerprint.prompt", "prompts are not rendered again by other versions"))
    elif words and not is_plain:
        try:
            model = _offline(directory)
        except (GridworldError, ValueError) as error:
            unchecked.append(Problem(f"{place}: fingerprint.prompt", f"prompts cannot be rendered again: {error}"))
        except RAISED as error:
            unchecked.append(Problem(f"{place}: fingerprint.prompt", f"prompts cannot be rendered again: {error!r}"))
    return PromptCheck(model, is_plain, draws, words), unchecked


def _offline(directory: RunDirectory) -> ChatModel:
    """Make the model of a run, which sends nothing; raises GridworldError if that is not possible here."""
    settings, info = directory.manifest.settings, get_registry().models.get(directory.manifest.settings.model)
    target: Any = info.load()
    if not (isinstance(target, type) and issubclass(target, ChatModel)):
        raise PluginFault("the model is not a ChatModel here")
    given = dict(argument.partition("=")[::2] for argument in settings.model_arguments)
    kept = {name: _kept_file(directory, digest) for name, digest in directory.manifest.files.items()}
    arguments = {name: f"{name}={value}" for name, value in target.offline(given, kept).items()}
    for name, text in arguments.items():
        if not (directory.is_own or text not in settings.model_arguments or is_harmless(info, text)):
            raise ArgumentError(f"its argument {name} may name something here, and the run is not your own")
    made = elicited(settings, make_model(settings.model, list(arguments.values())))
    if not isinstance(made, ChatModel):
        raise PluginFault("the model is not a ChatModel here")
    return made


def _kept_file(directory: RunDirectory, digest: str) -> Path:
    """Return the path of a kept text; raises RunError if it is missing or was changed, or leads out of the run."""
    directory.text(digest)
    return directory.root / TEXTS / f"{digest}{SUFFIXES[TEXTS]}"
