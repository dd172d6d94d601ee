"""Fingerprint of a run: everything that determines its results, without credentials, in comparable parts."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.errors import ArgumentError
from gridworld.explaining.explainer import Explainer
from gridworld.explaining.explanation import PROMPTS_VERSION, Explanation
from gridworld.model_interface import ModelInput, ModelInterface
from gridworld.model_interface.chat_model import ChatModel
from gridworld.plugins import get_registry
from gridworld.plugins.arguments import bind_arguments
from gridworld.plugins.catalog import Provided
from gridworld.plugins.discovery import UNKNOWN
from gridworld.plugins.registry import owner_of, version_of
from gridworld.support.faults import calling
from gridworld.support.files import exists, expand_user, is_folder
from gridworld.support.wording import credentials_in_path
from gridworld.task_spec import TaskSpecification
from gridworld.world.digest import text_digest
from gridworld.world.rules import RULES_VERSION
from multinet_eval.record.plan import task_hash
from multinet_eval.settings.defaults import DEFAULT_BACKEND, TILING_BACKEND
from multinet_eval.settings.plugin_objects import make_protocol
from multinet_eval.settings.run_settings import BY_TASK, RunSettings

SECRET = re.compile(r"key$|token$|secret|password|credential", re.IGNORECASE)
"""Names of arguments that probably hold a credential."""
HIDDEN = "(not recorded)"
WITHOUT_EFFECT = ("model_arguments", "compares_tilings", "epochs", "prices", "cache")
"""Settings that do not affect episodes, or that other parts of the fingerprint cover."""


def make_fingerprint(
    settings: RunSettings,
    suite: str,
    prompt: str | None,
    versions: Mapping[str, str],
    schema: str | None,
    seeding: str | None,
    weights: str | None,
    types: Mapping[str, str],
) -> dict[str, Any]:
    """Collect everything that determines the results of a run.

    Args:
        settings: the settings of the run.
        suite: the hash of the suite's tasks.
        prompt: the digest of the model's prompt; None for a model without one.
        versions: full version of each distribution.
        schema: the digest of the JSON schema of its answers (`schema_digest`); None without one.
        seeding: the model's rule for deriving sampling seeds (`ModelInterface.seeding`); None if seeds have no effect.
        weights: the digest of the model's files; None for a model without any.
        types: versions of the mechanism and goal types that declare one.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the model.
    """
    parts, briefing = result_settings(settings), settings.briefing
    optional = {"answer_schema": schema, "seeding": seeding, "weights": weights}
    parts["model"] |= {name: each for name, each in optional.items() if each is not None}
    examples = [] if briefing is None else [task_hash(task) for task in briefing.examples]
    explained = None
    if briefing is not None and settings.presentation.explain != "none":
        explained = Explainer(briefing.vocabulary).digest()
    return {
        "suite": suite,
        **parts,
        "prompt_version": PROMPTS_VERSION,
        "prompt": prompt,
        "examples": examples or None,
        "explained": explained,
        "rules": RULES_VERSION,
        "versions": {name: _minor(text) for name, text in versions.items()},
        **({"types": dict(types)} if types else {}),
    }


def differing_parts(
    first: Mapping[str, Any], second: Mapping[str, Any], place: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the path and both values of each difference between two fingerprints or circumstances.

    A missing value is None.
    """
    for name in sorted({*first, *second}):
        path, one, other = f"{place}{name}", first.get(name), second.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from differing_parts(one, other, f"{path}.")
        elif one != other:
            yield path, one, other


def differences(recorded: Mapping[str, Any], present: Mapping[str, Any]) -> Iterator[str]:
    """Describe the differences from a recorded fingerprint: ``path: ... in the run, ... now``."""
    for path, one, other in differing_parts(recorded, present):
        yield f"{path}: {in_words(one)} in the run, {in_words(other)} now"


FREE = ("model", "policies.on_infrastructure")
"""Parts in which compared runs may differ: the models, and a setting that only affects missing scores."""
OPTIONAL = ("prompt", "versions")
"""Parts that may be missing in one of two runs: baselines have no prompt, and models differ in distributions."""


def condition_differences(
    first: Mapping[str, Any], other: Mapping[str, Any], allowed: Iterable[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield path and description of each difference that makes two runs incomparable.

    Args:
        first: a fingerprint.
        other: another fingerprint.
        allowed: parts in which the runs may differ, besides the `FREE` ones.
    """
    free = (*FREE, *allowed)
    for path, one, another in differing_parts(first, other):
        is_free = any(path == name or path.startswith(f"{name}.") for name in free)
        is_lacking = path.partition(".")[0] in OPTIONAL and None in (one, another)
        if not is_free and not is_lacking:
            yield path, f"{in_words(one)} and {in_words(another)}"


def override_arguments(recorded: Iterable[str], given: Iterable[str], option: str) -> tuple[str, ...]:
    """Override recorded arguments, ``key=value``, or add new ones.

    Args:
        recorded: the arguments in the manifest.
        given: the overriding and additional arguments.
        option: the command-line option for an argument, for messages.

    Raises:
        ArgumentError: a credential is missing.
    """
    arguments = {text.partition("=")[0]: text for text in (*recorded, *given)}
    hidden = [name for name, text in arguments.items() if HIDDEN in text]
    if hidden:
        written = "--base-url URL" if hidden[0] == "base_url" else f"{option} {hidden[0]}=..."
        raise ArgumentError(f"credentials are not recorded: give {written} again")
    return tuple(arguments.values())


def result_settings(settings: RunSettings) -> dict[str, Any]:
    """Collect the settings that affect results, JSON-ready and without credentials."""
    plain = without_credentials(settings).to_dict()
    arguments, factor = plain.pop("backend_arguments"), settings.budget_factor
    named = {
        "model": model_fingerprint(settings),
        "backend": {"name": backend_of(settings), "arguments": list(arguments)},
        "budget_factor": None if factor == BY_TASK else factor,
    }
    return {name: value for name, value in {**plain, **named}.items() if name not in WITHOUT_EFFECT}


def without_credentials(settings: RunSettings) -> RunSettings:
    """Remove credentials from the arguments of settings."""
    return attrs.evolve(
        settings,
        model_arguments=tuple(map(without_secret, settings.model_arguments)),
        backend_arguments=tuple(map(without_secret, settings.backend_arguments)),
    )


def backend_of(settings: RunSettings) -> str:
    """Return the name of the backend, even if the settings leave it open."""
    return settings.backend or (DEFAULT_BACKEND if settings.tilings == (None,) else TILING_BACKEND)


def model_fingerprint(settings: RunSettings) -> dict[str, Any]:
    """Return the name of the model and the arguments that affect its answers."""
    return {"name": settings.model, "arguments": split_arguments(settings)[0]}


def answering_fingerprint(settings: RunSettings) -> dict[str, Any]:
    """Return `model_fingerprint`, with weights and the version of the model's distribution."""
    provided: Provided[Any] = get_registry().models.provider(settings.model)
    weights = weights_digest(settings)
    known = {**model_fingerprint(settings), "version": _minor(version_of(provided.distribution))}
    return known if weights is None else {**known, "weights": weights}


def installed_versions(distributions: Iterable[str]) -> dict[str, str]:
    """Return the installed versions of distributions, without patch numbers; ``unknown`` for a missing one."""
    return {name: _minor(version_of(name)) for name in distributions}


def in_words(value: Any) -> str:
    """Describe a part of a fingerprint."""
    if isinstance(value, list):
        return ", ".join(map(in_words, value)) or "nothing"
    return "nothing" if value is None else str(value)


def split_arguments(settings: RunSettings) -> tuple[list[str], list[str]]:
    """Split the model's arguments into those that affect its answers and the others, sorted, without credentials."""
    circumstances = set(get_registry().models.get(settings.model).circumstances)
    split: tuple[list[str], list[str]] = ([], [])
    for text in sorted(settings.model_arguments):
        split[text.partition("=")[0] in circumstances].append(without_secret(text))
    return split


def weights_digest(settings: RunSettings) -> str | None:
    """Return a digest of the files named by the model's arguments; None if there are none."""
    info = get_registry().models.get(settings.model)
    try:
        given = bind_arguments(info.load(), settings.model_arguments, f"model '{settings.model}'")
    except ArgumentError:  # a model made in Python may have other arguments
        return None
    named = {
        name: value
        for name, value in given.items()
        if isinstance(value, str | Path) and name not in info.circumstances and not SECRET.search(name)
    }
    return content_digest({name: value for name, value in named.items() if info.files is None or name in info.files})


def without_secret(argument: str) -> str:
    """Redact a probable credential in ``key=value``, including in addresses."""
    name, equals, value = argument.partition("=")
    if name.startswith("extra_body."):  # adapters refuse credentials there
        return argument
    names_variable = name.startswith("headers.") and value.startswith("@")
    if SECRET.search(name) and not names_variable:
        return f"{name}={HIDDEN}"
    return f"{name}{equals}{_without_login(value)}"


def _without_login(value: str) -> str:
    """Redact user, password, query, and probable credentials in an address; other strings stay unchanged."""
    if "://" not in value:
        return value
    parts, secret = urlsplit(value), credentials_in_path(value)
    query = parts.query if API_VERSION.fullmatch(parts.query) else ""
    path = "/".join(HIDDEN if segment in secret else segment for segment in parts.path.split("/"))
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], path=path, query=query, fragment=""))


API_VERSION = re.compile(r"api-version=[\w.-]{1,40}", re.ASCII)
"""The only query of an address that is recorded."""
SAMPLE = ModelInput(
    image=None,
    text_prompt="the mission",
    action_space=dict(ACTION_SPACE),
    step_number=1,
    max_steps=2,
    additional_context="the history",
    text_observation="the text view",
    explanation=Explanation("the legend", "the rules", examples="the examples"),
    correction="the correction",
    feedback="the feedback",
    note="the note",
)
"""Input with every possible text."""


def prompt_digest(model: ModelInterface, settings: RunSettings) -> str | None:
    """Return the digest of all texts of a prompt; None for a model without prompts."""
    if not isinstance(model, ChatModel):
        return None
    with calling(owner_of("model", model, model.model_name), "prompt"):
        prompt = model.prompt(_sample(settings))
    return attrs.evolve(prompt, schema=None).digest


def schema_digest(model: ModelInterface, settings: RunSettings) -> str | None:
    """Return the digest of the JSON schema of a model's answers; None for a model without one."""
    if not isinstance(model, ChatModel):
        return None
    with calling(owner_of("model", model, model.model_name), "prompt"):
        schema = model.prompt(_sample(settings)).schema
    return None if schema is None else text_digest(json.dumps(schema))


def _sample(settings: RunSettings) -> ModelInput:
    """Return `SAMPLE` with the form of reply that the settings ask for."""
    return attrs.evolve(SAMPLE, reply=settings.presentation.form_of(make_protocol(settings.protocol).reply))


def versions_used(settings: RunSettings, tasks: Iterable[TaskSpecification]) -> dict[str, str]:
    """Return full versions of the distributions that determine the results of playing some tasks."""
    registry = get_registry()
    used: list[Provided[Any]] = [
        registry.models.provider(settings.model),
        registry.backends.provider(backend_of(settings)),
        registry.protocols.provider(settings.protocol.partition(":")[0]),
    ]
    used += [registry.tilings.provider(tiling) for tiling in settings.tilings if tiling is not None]
    used += [registry.observations.provider(name) for name in settings.presentation.format.texts]
    for task in tasks:
        used.append(registry.goals.provider(task.goal.type))
        used += [registry.mechanisms.provider(name) for name, _ in task.mechanisms.groups()]
    names = sorted({"gridworld-core", "multinet-eval", *(each.distribution for each in used)})
    return {name: version_of(name) for name in names}


def _minor(text: str) -> str:
    """Drop the patch number of a version, which does not affect results."""
    return ".".join(text.split(".")[:2])


def content_digest(paths: Mapping[str, Path | str]) -> str | None:
    """Compute a digest of files' contents, including all files in folders with their names.

    Hidden files and folders inside folders are ignored. A copy elsewhere has the same digest.

    Args:
        paths: possible path for each argument name; values that are neither a file nor a folder are ignored.

    Returns:
        16 hexadecimal digits; None if there is no file or folder.

    Raises:
        ArgumentError: a file cannot be read; the message names the argument.
    """
    found = []
    for name, path in sorted(paths.items()):
        try:
            found += sorted(f"{name} {inner} {digest}" for inner, digest in _digests(expand_user(str(path))))
        except OSError as error:
            raise ArgumentError(f"-M {name}: cannot read {error.filename or path}: {error.strerror}") from error
    return text_digest("\n".join(found)) if found else None


def _digests(path: str) -> Iterator[tuple[str, str]]:
    """Yield name and digest of each file in a folder, or of a file with an empty name; nothing for other values."""
    if is_folder(path):
        for folder, folders, files in os.walk(path, onerror=_raise):
            folders[:] = [name for name in folders if not name.startswith(".")]
            inner = [Path(folder, name) for name in files if not name.startswith(".")]
            yield from ((each.relative_to(path).as_posix(), _digest(each)) for each in inner if each.is_file())
    elif exists(path) and Path(path).is_file():
        yield "", _digest(Path(path))


def _raise(error: OSError) -> None:
    raise error


def _digest(file: Path) -> str:
    """Return the digest of a file, rereading it only after a change."""
    status = file.stat()
    return _read(file, status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1000)
def _read(file: Path, *unchanged: int) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, partial(hashlib.blake2b, digest_size=8)).hexdigest()


def missing_distributions(recorded: Mapping[str, str]) -> list[str]:
    """List recorded distributions that are not installed here, as ``name version``, sorted."""
    return [
        f"{name} {played}"
        for name, played in sorted(recorded.items())
        if played != UNKNOWN and version_of(name) == UNKNOWN
    ]
