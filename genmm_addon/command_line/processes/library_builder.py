# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm library build` in a process without Blender: the script `python library_builder.py WORDS`, with NumPy alone.

`build_process` starts it and reads the JSON lines that it prints. Blender is started only for files that need it.
"""

import importlib
import importlib.util
import sys
from pathlib import Path

NAME = "genmm"
ADDON = Path(__file__).resolve().parents[2]


def load_extension() -> None:
    """Load the extension, whose modules without Blender work here, under its name."""
    spec = importlib.util.spec_from_file_location(NAME, ADDON / "__init__.py", submodule_search_locations=[str(ADDON)])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    load_extension()
    sys.exit(importlib.import_module(f"{NAME}.command_line.commands.library_build").main(sys.argv[1:]))
