# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `genmm` as a script, with the same arguments.

In Blender: `blender --background hero.blend --python batch.py -- generate --seeds 0-9`
Without Blender, with the module bpy installed: `python batch.py generate walk.bvh --seeds 0-9`
"""

import gc
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType


@contextmanager
def chatter_on_errors() -> Iterator[None]:
    """Send what Blender prints meanwhile to the standard error stream, if both streams are open."""
    try:
        kept = os.dup(1)
        os.dup2(2, 1)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


# From 5.2 on, the module says which color configuration the variable OCIO names, before any line of ours.
with chatter_on_errors():
    import bpy

FOLDER = Path(__file__).resolve().parent


def package(name: str = "genmm") -> ModuleType:
    """Return the extension as enabled in Blender, or otherwise load and register it from this folder."""
    for module in list(sys.modules.values()):
        paths = getattr(module, "__path__", None)
        if paths and "bpy" not in module.__name__ and Path(next(iter(paths), "")).resolve() == FOLDER:
            return module
    spec = importlib.util.spec_from_file_location(
        name, FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    gc.disable()  # Python would look for garbage among modules that all stay, for a fifth of the start.
    try:
        spec.loader.exec_module(module)
        module.register()
    finally:
        gc.enable()
    return module


if __name__ == "__main__":
    arguments = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    command = importlib.import_module(".command_line.command", package().__name__)
    ended = command.main(arguments)
    if not bpy.app.binary_path:
        # The bpy module may crash at exit; all work is done.
        command.remove_temporary_folder_of_blender()
        os._exit(ended)
    sys.exit(ended)
