# SPDX-License-Identifier: GPL-3.0-or-later
"""A separate process that synthesizes: the script `python worker.py NAME FOLDER`, with NumPy alone.

It receives the preparation and then one seed after another on its standard input, and answers each on its standard
output, all as pickles. `workers` starts it and is the only one to communicate with it; it ends with its input.
"""

import importlib.util
import os
import pickle
import signal
import sys
from types import ModuleType
from typing import Any


def load_core(name: str, folder: str) -> ModuleType:
    """Return the core, loaded under its name in Blender, so that pickles made there can be read here."""
    parents = name.split(".")[:-1]
    for depth in range(1, len(parents) + 1):
        above = ModuleType(".".join(parents[:depth]))
        above.__path__ = []
        sys.modules[above.__name__] = above
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def main(name: str, folder: str) -> None:
    """Answer requests until the input ends."""
    # Ctrl-C is meant for the command, which closes our input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tell, hear = sys.stdout.buffer, sys.stdin.buffer
    core = load_core(name, folder)
    prepared, frames, constraints = pickle.load(hear)
    while True:
        try:
            seed = pickle.load(hear)
        except EOFError:
            return
        answer: Any
        try:
            answer = core.synthesize(prepared, frames, constraints=constraints, seed=seed)
        except Exception as error:
            answer = error
        pickle.dump(answer, tell, pickle.HIGHEST_PROTOCOL)
        tell.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
