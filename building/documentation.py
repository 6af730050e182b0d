# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation, built by MkDocs in the environment `.venv/site`; a broken link is an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .blender_modules import ROOT, Refusal
from .tools import ready_environment

REQUIREMENTS = ("mkdocs==1.6.1", "mkdocs-material==9.8.1", "mkdocstrings==1.0.8", "mkdocstrings-python==2.0.11")
FOLDER = ROOT / ".venv" / "site"
CONFIGURATIONS = ROOT / "building" / "site"
COMMANDS = ROOT / "build" / "commands.json"
"""The help of all commands, written by Blender's side (bench/command_help.py)."""
NOT_SHIPPED = ("sitemap.xml", "sitemap.xml.gz", "404.html")
"""Files of MkDocs that are useful only with a server."""


def build_site(kind: str, target: Path) -> None:
    """Build the pages of a configuration, "site" or "manual", into a folder. Raise Refusal for a broken link."""
    python = ready_environment(FOLDER, REQUIREMENTS)
    command: list[str | Path] = [python, "-m", "mkdocs", "build", "--clean", "--strict"]
    command += ["--config-file", CONFIGURATIONS / f"{kind}.yml", "--site-dir", target]
    # A constant date makes the pages of all builds equal.
    environment = os.environ | {"GENMM_COMMANDS": str(COMMANDS), "SOURCE_DATE_EPOCH": "315532800"}
    environment |= {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    status = subprocess.run(command, cwd=ROOT, env=environment, stdout=sys.stderr, check=False).returncode
    if status:
        raise Refusal(f"The documentation could not be built: see the lines above (status {status}).")


def build_manual(target: Path) -> dict[str, Path]:
    """Build the pages that ship, and return them by their names in the package, below `manual`."""
    build_site("manual", target)
    files = sorted(path for path in target.rglob("*") if path.is_file() and path.name not in NOT_SHIPPED)
    return {f"manual/{path.relative_to(target).as_posix()}": path for path in files}
