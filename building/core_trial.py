# SPDX-License-Identifier: GPL-3.0-or-later
"""A trial of the installed core: its modules, the example of its docstring, and the code of its page.

It runs in an environment without anything of the repository, in a folder that may be written to.
"""

import dataclasses
import doctest
import importlib
import pkgutil
import platform
import re
import sys
from pathlib import Path


def main(page: Path) -> None:
    """Import all modules of `genmm` and run the examples; the page has a recording `walk.bvh`."""
    genmm = importlib.import_module("genmm")
    modules = [module.name for module in pkgutil.walk_packages(genmm.__path__, "genmm.")]
    for name in modules:
        importlib.import_module(name)
    assert not {"bpy", "core", "genmm_addon"} & sys.modules.keys(), "the core needs more than itself"
    example = doctest.DocTestParser().get_doctest(genmm.__doc__ or "", vars(genmm).copy(), "genmm", None, None)
    assert not doctest.DocTestRunner().run(example, clear_globs=False).failed, "the example of genmm fails"
    swing, numpy = example.globs["swing"], sys.modules["numpy"]
    ahead = numpy.zeros((swing.frames, 1, 3), numpy.float32)
    ahead[:, 0, 1] = -0.04 * numpy.arange(swing.frames)  # a traveling figure, for the path of the page
    genmm.save_bvh("walk.bvh", dataclasses.replace(swing, translations=ahead))
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, str(page), "exec"), names)
    assert genmm.load_motion("new.npz").frames == genmm.load_bvh("new.bvh").frames
    print(
        f"Python {platform.python_version()}, NumPy {numpy.__version__}: {len(modules)} modules, and {page.name} runs"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
