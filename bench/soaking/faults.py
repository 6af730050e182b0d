# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults raised at any step of Generate or Make Crowd, after which the whole file must be as before."""

import inspect
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from types import FrameType
from typing import Any

import bpy
import numpy as np
from bpy.types import Object

from genmm_addon.core import InputError
from genmm_addon.crowd.crowd import compute_crowd, read_crowd, write_crowd
from genmm_addon.crowd.request import CrowdRequest
from genmm_addon.generation.generate import generate, read
from genmm_addon.generation.request import Request

from .fingerprints import fingerprint
from .random_rigs import random_character

Trying = Callable[[str], AbstractContextManager[None]]
Requesting = Callable[[Object, np.random.Generator], Request]

FAULTS: tuple[type[BaseException], ...] = (MemoryError, InputError, KeyboardInterrupt, RuntimeError)
EACH = 25
"""Number of faults in one kind of request, at different steps."""


def faults(count: int, requesting: Requesting, trying: Trying) -> dict[str, Any]:
    """Raise `count` faults over random characters, kinds of requests and steps; return the counts by fault."""
    random, start = np.random.default_rng(0), time.perf_counter()
    thrown, characters, steps, number = Counter[str](), 0, 0, 0
    while sum(thrown.values()) < count:
        number += 1
        do = _crowd if number % 3 == 0 else _generate
        try:
            # Data that the first call keeps for later ones are not counted.
            do(_request(number, requesting))
            request = _request(number, requesting)
            with counting() as counted:
                do(request)
        except InputError:
            continue
        characters, steps = characters + 1, steps + counted.calls
        request = _request(number, requesting)
        before = fingerprint()
        for _ in range(min(EACH, count - sum(thrown.values()))):
            fault, step = FAULTS[int(random.integers(len(FAULTS)))], int(random.integers(counted.calls))
            thrown[fault.__name__] += 1
            whole = False
            with trying(f"{fault.__name__} at step {step} of {counted.calls}, character {number}, {request.output}"):
                _check(fault, step, partial(do, request), before)
                whole = True
            if not whole:
                # Later faults must not fail because of data that this one left.
                break
    seconds = round(time.perf_counter() - start)
    return {"faults": dict(thrown), "characters": characters, "steps": steps, "seconds": seconds}


def _request(number: int, requesting: Requesting) -> Request:
    """Return the request of this number, with its character alone in the file."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    built = random_character(number, most_bones=8)
    return requesting(built.armature, np.random.default_rng((number, 2)))


def _generate(request: Request) -> None:
    generate(bpy.context, request)


def _crowd(request: Request) -> None:
    """Make a few agents that share two motions."""
    asked = CrowdRequest(agents=5, clips=2)
    reading = read(request, bpy.context.scene)
    task = read_crowd(bpy.context, request, asked, reading)
    computed = compute_crowd(task)
    write_crowd(bpy.context, task, computed)


def _check(fault: type[BaseException], step: int, do: Callable[[], None], before: dict[str, str]) -> None:
    """Raise AssertionError if the fault is swallowed, or leaves a change.

    Exhausted memory may be reported as a sentence, by an InputError.
    """
    swallowed = False
    try:
        with counting(step, fault) as counted:
            do()
            swallowed = True
    except fault:
        pass
    except InputError as error:
        if not (fault is MemoryError and isinstance(error.__cause__, MemoryError)):
            raise
    assert not swallowed, f"a fault in {counted.where} was swallowed"
    after = fingerprint()
    changed = sorted(block for block in before.keys() | after.keys() if before.get(block) != after.get(block))
    assert not changed, f"after a fault in {counted.where}, otherwise: {', '.join(changed)}"


class Counted:
    """The number of calls of the extension's functions outside the core, and the name of the one with the fault."""

    calls = 0
    where = "nowhere"


@contextmanager
def counting(step: int = -1, fault: type[BaseException] = MemoryError) -> Iterator[Counted]:
    """Count the calls in the block, and raise the fault in the call of number `step`."""
    counted = Counted()

    def called(frame: FrameType, event: str, _argument: object) -> None:
        file = frame.f_code.co_filename
        if event != "call" or "genmm_addon" not in file or "/core/" in file:
            return
        if "/interface/" in file or "/state/" in file:
            # Blender calls their handlers, and swallows errors in them.
            return
        if frame.f_code.co_flags & inspect.CO_GENERATOR:
            # A generator may be closing, when nobody receives its errors.
            return
        if counted.calls == step:
            sys.setprofile(None)
            counted.calls += 1
            counted.where = f"{file.rpartition('genmm_addon/')[2]}:{frame.f_code.co_name}"
            raise fault("A fault thrown in to see what it leaves.")
        counted.calls += 1

    sys.setprofile(called)
    try:
        yield counted
    finally:
        sys.setprofile(None)
