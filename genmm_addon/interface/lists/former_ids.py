# SPDX-License-Identifier: GPL-3.0-or-later
"""Ids of operators that are one operator now, for keymaps and scripts of users; to be removed after one version."""

from typing import Any

import bpy

FORMER = {
    "add_foot_lock": ("add_row", "foot_locks"),
    "add_label": ("add_row", "labels"),
    "add_listed_bone": ("add_row", ""),
    "add_reach": ("add_row", "reaches"),
    "add_part": ("add_row", "part_list"),
    "add_bone_name": ("add_row", "bone_names"),
    "add_waypoints": ("add_row", "waypoints"),
    "remove_foot_lock": ("remove_row", "foot_locks"),
    "remove_label": ("remove_row", "labels"),
    "remove_listed_bone": ("remove_row", ""),
    "remove_reach": ("remove_row", "reaches"),
    "remove_part": ("remove_row", "part_list"),
    "remove_bone_name": ("remove_row", "bone_names"),
    "remove_waypoint": ("remove_row", "waypoints"),
    "remove_example": ("remove_row", "examples"),
    "remove_library": ("remove_row", "library_files"),
    "remove_pin": ("remove_row", "pins"),
    "move_example": ("move_row", "examples"),
    "move_part": ("move_row", "part_list"),
    "clear_pins": ("clear_rows", "pins"),
    "guess_bone_names": ("edit_bone_names", "MATCH"),
    "clear_bone_names": ("clear_rows", "bone_names"),
    "go_to_pin": ("go_to_frame", "pins"),
    "go_to_waypoint": ("go_to_frame", "waypoints"),
    "go_to_transition": ("go_to_frame", "cuts"),
    "go_to_flaw": ("go_to_frame", "leg_flaws"),
    "show_flaw": ("go_to_frame", "flaws"),
    "add_selected_bones": ("edit_part", "ASSIGN"),
    "remove_selected_bones": ("edit_part", "REMOVE"),
    "select_part_bones": ("edit_part", "SELECT"),
    "mirror_part": ("edit_part", "MIRROR"),
    "grow_part": ("edit_part", "GROW"),
    "import_bone_collections": ("part_collections", "IMPORT"),
    "export_parts": ("part_collections", "EXPORT"),
    "overlay_variations": ("compare_variations", "IN_PLACE"),
    "solo_variation": ("compare_variations", "ALONE"),
    "forget_clusters": ("close_list", "clusters"),
    "forget_found_places": ("close_list", "places"),
    "forget_library_build": ("close_list", "library_build"),
    "regenerate_stretch": ("edit_stretch", "REGENERATE"),
    "swap_stretch": ("edit_stretch", "SWAP"),
    "lock_stretch": ("edit_stretch", "LOCK"),
    "regenerate_unlocked": ("edit_stretch", "REGENERATE_UNLOCKED"),
    "restore_full_motion": ("switch_keys", "FULL"),
    "back_to_coarse_keys": ("switch_keys", "COARSE"),
}
"""For each former id, the operator that replaces it, and its choice; "" where the former one has the property too."""

_classes: list[Any] = []


def _former(name: str, operator: Any, choice: str) -> type:
    """Return an operator with a former id, which does the same as the present one with a choice."""
    members = {key: value for key, value in vars(operator).items() if not key.startswith("__") and key != "bl_rna"}
    properties = dict(operator.__annotations__)
    if choice:
        members[operator.chosen_by] = choice
        members |= {"bl_label": operator.choices[choice].label, "bl_description": operator.choices[choice].tooltip}
        del properties[operator.chosen_by]
    members |= {"bl_idname": f"genmm.{name}", "bl_options": {*operator.bl_options, "INTERNAL"}}
    return type(f"GENMM_OT_{name}", operator.__bases__, members | {"__annotations__": properties})


def register() -> None:
    """Register the former ids."""
    for name, (present, choice) in FORMER.items():
        _classes.append(_former(name, getattr(bpy.types, f"GENMM_OT_{present}"), choice))
        bpy.utils.register_class(_classes[-1])


def unregister() -> None:
    """Unregister the former ids."""
    while _classes:
        bpy.utils.unregister_class(_classes.pop())
