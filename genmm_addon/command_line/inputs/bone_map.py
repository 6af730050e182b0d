# SPDX-License-Identifier: GPL-3.0-or-later
"""The map of bones that a command is given, for the other skeletons of its examples or libraries."""

import argparse
from dataclasses import replace

from ...animation.rig import read_skeleton
from ...core import InputError
from ...core.transfer import read_bone_map
from ...generation.request import Request
from ...libraries.choosing import library_in


def with_bone_map(request: Request, options: argparse.Namespace, *, alone: bool = True) -> Request:
    """Return the request with the pairs of `--map`, if it is given.

    alone: whether no further examples are added, so that one of another skeleton is needed. Raises InputError for a
    file that is no map, or that fits none of the skeletons.
    """
    if options.map is None:
        return request
    bone_map = read_bone_map(options.map)
    files = () if request.library is None else request.library.files
    others = [library_in(file).skeleton for file in files]
    foreign = dict.fromkeys(spec.armature for spec in request.examples if spec.armature not in (None, request.armature))
    others += [read_skeleton(armature) for armature in foreign if armature is not None]
    if not others:
        if alone:
            raise InputError("--map is for examples of another skeleton; add them with --together or --library.")
        return request
    return replace(request, bone_names=bone_map.fitting(others, read_skeleton(request.armature)))
