# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm asset`, which marks an action as an asset."""

import argparse
from pathlib import Path

from .edited import add_edited_action


def add_asset(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "input",
        type=Path,
        nargs="?",
        metavar="INPUT",
        help="a .blend, .bvh, .fbx, .glb or .gltf file (default: the open file)",
    )
    add_edited_action(parser)
    parser.add_argument("--catalog", default="", metavar="PATH", help="the asset's catalog, such as Walks/Tired")
    parser.add_argument("--tags", default="", metavar="LIST", help='the asset\'s tags: "style=tired, action=walk"')
    parser.add_argument(
        "--output", "-o", type=Path, default=Path("asset.blend"), metavar="FILE", help="a .blend (default: asset.blend)"
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
