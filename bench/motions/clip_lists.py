# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of the library that `bench --quality` measures: those that settings are chosen on, and those kept aside."""

CHOSEN_ON = (
    "dataset-1_walk_active_001",
    "dataset-1_walk_happy_001",
    "dataset-1_walk_chimpira_001",
    "dataset-1_walk_old_001",
    "dataset-1_walk-left_feminine_001",
    "dataset-1_walk-back_sad_001",
    "dataset-1_run_normal_001",
    "dataset-1_run_happy_001",
    "dataset-1_dash_angry_001",
    "dataset-1_bye_active_001",
    "dataset-1_byebye_happy_001",
    "dataset-1_dance-short_normal_001",
    "dataset-2_walk_youthful_001",
    "dataset-2_walk_elderly_001",
    "dataset-2_run_active_001",
    "dataset-2_walk-turn-left_normal_001",
    "dataset-2_walk-turn-left_youthful_005",
    "dataset-2_wave-both-hands_active_001",
    "dataset-2_wave-both-hands_elderly_003",
    "dataset-2_raise-up-right-hand_feminine_001",
)
"""Walks, runs, turns, waves and a dance, bouncing ones (active, happy, youthful) among them."""
KEPT_ASIDE = (
    "dataset-1_walk_masculinity_002",
    "dataset-1_walk_proud_001",
    "dataset-1_walk_tired_002",
    "dataset-1_walk_angry_002",
    "dataset-1_walk_feminine_002",
    "dataset-1_walk-right_active_001",
    "dataset-1_walk-back_happy_001",
    "dataset-1_run_sad_001",
    "dataset-1_run_chimpira_001",
    "dataset-1_dash_active_001",
    "dataset-1_bye_sad_001",
    "dataset-1_byebye_proud_001",
    "dataset-1_guide_happy_001",
    "dataset-2_walk_active_010",
    "dataset-2_walk_feminine_012",
    "dataset-2_run_youthful_003",
    "dataset-2_walk-turn-left_active_008",
    "dataset-2_walk-turn-left_elderly_014",
    "dataset-2_wave-both-hands_youthful_009",
    "dataset-2_raise-up-right-hand_active_004",
)
"""Of the same kinds: no constant is chosen on these."""
