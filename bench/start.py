# SPDX-License-Identifier: GPL-3.0-or-later
"""Start of a module as the main program, with an exit that skips Blender's own clean-up.

That clean-up prints after our last line, and in 4.5 it sometimes waits forever for a thread.
"""

import os
import runpy
import sys
import traceback


def main(name: str, arguments: list[str]) -> int:
    """Return the exit status of the module `name`, run with the arguments."""
    sys.argv[:] = [name, *arguments]
    try:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1], sys.argv[2:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
