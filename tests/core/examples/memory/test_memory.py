# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory budget and the estimates before allocation, and the sentence on a request that is too large."""

import gc
import resource
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from motions import walker

from genmm_addon.core import (
    Constraints,
    InputError,
    Motion,
    Part,
    PoseConstraint,
    Prepared,
    Settings,
    prepare,
    synthesize,
)
from genmm_addon.core.computation import computing
from genmm_addon.core.examples import (
    VARIABLE,
    body_size,
    budget,
    fits,
    part_plans,
    purpose_of,
)
from genmm_addon.core.examples.memory import estimates, limits
from genmm_addon.core.examples.memory.estimates import (
    FIXED_BYTES,
    BodySize,
    ExampleSize,
    Purpose,
    check_examples,
    preparation_needs,
    synthesis_needs,
)
from genmm_addon.core.examples.memory.freed_memory import keep_freed_memory
from genmm_addon.core.features import limb_partition

TOO_HIGH = 2.0
"""Largest factor of an estimate over the memory used, apart from the fixed share."""
BODY = BodySize(60, 1)


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda amount: monkeypatch.setenv(VARIABLE, amount)


def taken(work: Callable[[], object]) -> tuple[float, object]:
    """Return the peak of allocated bytes while `work` runs, and its result."""
    keep_freed_memory()
    gc.collect()
    tracemalloc.start()
    try:
        made = work()
        return float(tracemalloc.get_traced_memory()[1]), made
    finally:
        tracemalloc.stop()


def lengths_of(prepared: Prepared) -> list[int]:
    return [int(length) for length in prepared.bounds.ends - prepared.bounds.starts]


def long_walk(frames: int, rate: float = 30.0) -> Motion:
    return walker(frames, 0, rate)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("examples", "by_limbs"),
    [([4000], False), ([2400], True), ([60] * 40, False), ([1500, 900], False)],
    ids=["one", "by limbs", "forty short ones", "two"],
)
def test_preparing_takes_no_more_than_was_told_and_not_much_less(examples: list[int], by_limbs: bool) -> None:
    motions = [walker(frames, seed) for seed, frames in enumerate(examples)]
    parts = limb_partition(motions[0].skeleton) if by_limbs else None
    peak, prepared = taken(lambda: prepare(motions, parts=parts))
    assert isinstance(prepared, Prepared)
    told = preparation_needs(lengths_of(prepared), body_size(motions[0]), purpose_of(prepared))
    assert peak <= told.peak <= TOO_HIGH * peak + FIXED_BYTES


@pytest.mark.slow
@pytest.mark.parametrize("frames", [3000, 12_000])
@pytest.mark.parametrize("holds", [False, True], ids=["free", "pinned"])
def test_a_result_takes_no_more_than_was_told_and_not_much_less(frames: int, holds: bool) -> None:
    prepared = prepare([long_walk(600)])
    constraints = Constraints()
    if holds:
        motion = long_walk(frames)
        joints = np.zeros((frames, len(motion.skeleton.names)), bool)
        joints[::40] = True
        constraints = Constraints(PoseConstraint(motion, joints, joints[:, 0]))
    peak, _ = taken(lambda: synthesize(prepared, frames, constraints=constraints))
    body, lengths = body_size(prepared.motions[0]), lengths_of(prepared)
    added = [constraint.memory for constraint in constraints]
    told = synthesis_needs(frames, lengths, body, purpose_of(prepared), feet=len(prepared.feet), constraints=added).peak
    assert peak <= told <= TOO_HIGH * peak + FIXED_BYTES


@pytest.mark.slow
@pytest.mark.parametrize("feet", [("foot.L", "foot.R"), ("foot.L", "foot.R", "hand.L", "hand.R")], ids=["two", "four"])
def test_keeping_feet_in_their_places_is_counted(feet: tuple[str, ...]) -> None:
    prepared = prepare([long_walk(600)], settings=Settings(feet=feet))
    peak, _ = taken(lambda: synthesize(prepared, 20_000))
    body, lengths = body_size(prepared.motions[0]), lengths_of(prepared)
    told = synthesis_needs(20_000, lengths, body, purpose_of(prepared)).peak
    # The fixed share would hide errors.
    assert peak <= told - FIXED_BYTES <= TOO_HIGH * peak


@pytest.mark.slow
def test_a_long_result_that_keeps_its_initial_path_is_told_without_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (part_plans, estimates):
        monkeypatch.setattr(module, "MOST_SEARCHED", 500)
    prepared = prepare([walker(90 + number, seed=number) for number in range(50)])
    body, lengths, purpose = body_size(prepared.motions[0]), lengths_of(prepared), purpose_of(prepared)
    peak, _ = taken(lambda: synthesize(prepared, 30_000))
    told = synthesis_needs(30_000, lengths, body, purpose, feet=len(prepared.feet)).peak
    assert peak <= told <= 1.5 * peak + FIXED_BYTES
    # Matching would compare all frames of the result with all of the examples.
    monkeypatch.undo()
    matched = synthesis_needs(30_000, lengths, body, purpose).peak
    assert matched > told + 3 * 10_000 * prepared.planning.finest.bounds.frames


def test_the_estimate_grows_with_frames_joints_parts_and_output() -> None:
    purpose = Purpose(30.0)
    usual = preparation_needs([3000], BODY, purpose).peak
    assert 3 * usual < preparation_needs([30_000], BODY, purpose).peak < 20 * usual
    assert preparation_needs([300_000], BODY, purpose).peak < 11 * preparation_needs([30_000], BODY, purpose).peak
    assert preparation_needs([3000], BodySize(600, 10), purpose).peak > usual
    assert preparation_needs([3000], BODY, replace(purpose, parts=(None,) * 5)).peak > 1.5 * usual
    short, long = (synthesis_needs(frames, [300], BODY, purpose).peak for frames in (1000, 1_000_000))
    assert long > 5e9 > 1e8 > short


def test_an_example_too_long_for_the_memory_is_refused_with_its_name_its_frames_and_a_range_that_fits(
    little_memory: Callable[[str], None],
) -> None:
    little_memory("2G")
    with pytest.raises(InputError) as refused:
        check_examples([ExampleSize('Action "Walk"', 1_000_000, 30.0)], BODY, Purpose(30.0), 60.0 * 60)
    said = str(refused.value)
    assert said.startswith('Action "Walk" has 1,000,000 frames; that needs')
    assert "2.0 GB may be used" in said
    fitting = int(said.split("Learn from ")[1].split(" frames")[0].replace(",", ""))
    check_examples([ExampleSize('Action "Walk"', fitting, 30.0)], BODY, Purpose(30.0), 60.0 * 60)
    assert preparation_needs([2 * fitting], BODY, Purpose(30.0)).peak > 2 << 30


def test_many_examples_too_much_together_are_refused_with_how_many_would_fit(
    little_memory: Callable[[str], None],
) -> None:
    little_memory("500M")
    sizes = [ExampleSize(f'Action "{number}"', 80, 30.0) for number in range(1000)]
    with pytest.raises(InputError, match=r"The 1,000 examples have 80,000 frames together.*the first [\d,]+ of them"):
        check_examples(sizes, BODY, Purpose(30.0))


def test_advice_on_an_example_precedes_the_longest_range(little_memory: Callable[[str], None]) -> None:
    little_memory("1G")
    size = ExampleSize('Action "Walk"', 1_000_000, 30.0, "It has a stray key.")
    with pytest.raises(InputError, match=r"may be used\. It has a stray key\.$"):
        check_examples([size], BODY, Purpose(30.0))


def test_preparing_refuses_before_the_tables_are_allocated(little_memory: Callable[[str], None]) -> None:
    little_memory("40M")
    motion = long_walk(20_000)

    def refused() -> None:
        with pytest.raises(InputError, match='"Long" has 20,000 frames'):
            prepare([motion], names=['Action "Long"'])

    assert taken(refused)[0] < 10e6


def test_synthesizing_rejects_a_length_beyond_the_memory_and_names_one_that_fits(
    little_memory: Callable[[str], None],
) -> None:
    prepared = prepare([long_walk(200)])
    little_memory("100M")
    with pytest.raises(
        InputError, match=r"A result of 1,000,000 frames needs .* Make [\d,]+ frames or fewer"
    ) as refused:
        synthesize(prepared, 1_000_000)
    fitting = int(str(refused.value).split("Make ")[1].split(" frames")[0].replace(",", ""))
    assert synthesize(prepared, min(fitting, 300)).motion.frames == min(fitting, 300)


def test_a_memory_error_becomes_one_sentence() -> None:
    @computing()
    def greedy() -> None:
        np.empty(1 << 45, np.float64)

    with pytest.raises(InputError, match="not enough memory for this, and nothing was changed"):
        greedy()


def test_running_out_of_memory_while_synthesizing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare([long_walk(200)])

    def out_of_memory(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("genmm_addon.core.synthesis.synthesize.compose", out_of_memory)
    with pytest.raises(InputError, match="not enough memory"):
        synthesize(prepared, 100)


@pytest.mark.parametrize(
    ("text", "size"), [("2G", 2 << 30), ("512M", 512 << 20), ("1.5 GiB", 1.5 * 2**30), ("1000", 1000), ("10kb", 10240)]
)
def test_memory_budget_is_read_from_the_variable(little_memory: Callable[[str], None], text: str, size: float) -> None:
    little_memory(text)
    assert budget() == size


@pytest.mark.parametrize("text", ["plenty", "-1G", "2X", "1e9"])
def test_invalid_amount_of_memory_is_rejected(little_memory: Callable[[str], None], text: str) -> None:
    little_memory(text)
    with pytest.raises(InputError, match=f'GENMM_MEMORY is "{text}", which is not an amount of memory'):
        fits(1)


def test_default_budget_is_half_of_the_available_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(limits, "available", lambda: 10 << 30)
    assert budget() == 5 << 30
    assert fits(5 << 30)
    assert not fits((5 << 30) + 1)


def machine(folder: Path, files: dict[str, str]) -> Path:
    """Return a root folder with the given files below `/proc` and `/sys`."""
    files = {"proc/meminfo": "MemFree: 10 kB\nMemAvailable: 8000000 kB\n", "proc/self/statm": "1000 1 1\n", **files}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_available_memory_is_read_on_linux(tmp_path: Path) -> None:
    assert limits.linux_available(machine(tmp_path, {})) == 8_000_000 * 1024


@pytest.mark.parametrize("group", ["", "user/job/"], ids=["a container's own", "a nested one"])
def test_linux_gives_no_more_than_a_control_group_has_left(tmp_path: Path, group: str) -> None:
    root = machine(
        tmp_path,
        {
            "proc/self/cgroup": "0::/user/job\n",
            f"sys/fs/cgroup/{group}memory.max": "4000000\n",
            f"sys/fs/cgroup/{group}memory.current": "3000000\n",
            f"sys/fs/cgroup/{group}memory.stat": "anon 1\ninactive_file 500000\n",
        },
    )
    assert limits.linux_available(root) == 1_500_000


def test_linux_gives_no_more_than_a_control_group_of_the_first_version_has_left(tmp_path: Path) -> None:
    root = machine(
        tmp_path,
        {
            "proc/self/cgroup": "5:cpu:/x\n4:memory:/x\n",
            "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "4000000\n",
            "sys/fs/cgroup/memory/x/memory.usage_in_bytes": "1000000\n",
            "sys/fs/cgroup/memory/x/memory.stat": "total_inactive_file 0\n",
        },
    )
    assert limits.linux_available(root) == 3_000_000


def test_a_control_group_without_a_limit_sets_none(tmp_path: Path) -> None:
    root = machine(
        tmp_path,
        {
            "proc/self/cgroup": "0::/\n",
            "sys/fs/cgroup/memory.max": "max\n",
            "sys/fs/cgroup/memory.current": "1\n",
            "sys/fs/cgroup/memory.stat": "",
        },
    )
    assert limits.linux_available(root) == 8_000_000 * 1024


def test_linux_gives_no_more_address_space_than_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1000 * resource.getpagesize() + 12345, -1))
    assert limits.linux_available(machine(tmp_path, {})) == 12345


def test_available_memory_on_macos_is_free_inactive_speculative_and_purgeable() -> None:
    text = (
        "Mach Virtual Memory Statistics: (page size of 16384 bytes)\nPages free:              100.\n"
        "Pages active:            999.\nPages inactive:          10.\nPages speculative:       2.\n"
        "Pages purgeable:         3.\n"
    )
    assert limits.macos_available(text) == 115 * 16384


def test_parts_that_draw_from_some_examples_take_less() -> None:
    all_of_all = Purpose(30.0, (None, None))
    some = Purpose(30.0, (None, (1,)))
    assert preparation_needs([3000, 1000], BODY, some).kept < preparation_needs([3000, 1000], BODY, all_of_all).kept


def test_prepare_counts_its_parts(little_memory: Callable[[str], None]) -> None:
    motion = long_walk(3000)
    little_memory("80M")
    prepare([motion])
    halves = [Part("a", tuple(range(9))), Part("b", tuple(range(8, 17))), Part("c", (3, 4)), Part("d", (5, 6))]
    with pytest.raises(InputError, match="may be used"):
        prepare([motion], parts=halves, settings=Settings())


@pytest.mark.parametrize(("frames", "room"), [(20_000, "500M"), (60_000, "800M")])
def test_a_long_take_is_not_refused_where_it_fits(frames: int, room: str, little_memory: Callable[[str], None]) -> None:
    little_memory(room)
    check_examples([ExampleSize("take", frames, 30.0)], BODY, Purpose(30.0))
