# SPDX-License-Identifier: GPL-3.0-or-later
"""What changes a result, apart from the examples: the same values in the panel and in the operator."""

from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from ..generation.request import LARGEST_SEED, LONGEST
from .bone_lists import GENMM_PG_foot, GENMM_PG_joint_weight

# What was set for one run is no start for the next: each takes the panel's values afresh.
UNKEPT = {"SKIP_SAVE"}

OUTPUTS = (
    ("NEW_CHARACTER", "New Character", "Put a copy of the character beside it, playing the new motion"),
    ("NEW_ACTION", "New Action", "Give the new motion to the selected character; its own action is kept in the file"),
    ("NLA_STRIP", "NLA Strip", "Put the new motion on a new NLA track of the selected character"),
)
CHANNELS = (
    ("AUTO", "Automatic", "Channels where the bones have keys of their own, otherwise the visual pose"),
    ("CHANNELS", "Keyed", "Learn from the keyed channels as they are, so that a control rig stays a control rig"),
    ("VISUAL", "Visual Pose", "Learn from the pose that constraints, drivers and the NLA make of the keys"),
)
FACINGS = (
    ("AUTO", "Automatic", "Free where the examples travel, kept where they stay in place"),
    ("KEEP", "Keep", "The character faces the way it does in the examples, as a dance faces its audience"),
    ("FREE", "Free", "The character may turn anywhere, as in a walk"),
)
PARTS = (
    ("WHOLE_BODY", "Whole Body", "Take all bones of a pose from the same moment of an example"),
    (
        "LIMBS",
        "Arms",
        "Let arms, tails and wings come from other moments: more variety, less coordination",
    ),
    ("PAINTED", "Custom", "The parts in the list; bones in none of them make a part of their own"),
)
LOOPS = (
    ("OFF", "Off", "The motion has a beginning and an end"),
    ("TRAVEL", "Cycle", "The last frame leads into the first; each round begins where the one before ended"),
    ("IN_PLACE", "Cycle in Place", "The last frame leads into the first, and the character stays, as on a treadmill"),
)
PATH_SPEEDS = (
    ("EXAMPLES", "As the Examples", "The character goes as fast as the examples walk"),
    ("CURVE", "As the Curve", "The character is where the curve's animated evaluation time says"),
    ("ARRIVE", "In the Given Time", "The character is at the end of the curve with the last frame"),
)
FEET = (
    ("AUTO", "Automatic", "Find the feet from how the examples move"),
    ("CHOSEN", "Chosen Bones", "The bones in the list stand on the ground; while it is empty, none does"),
)
CONTACTS = (
    ("AUTO", "Automatic", "On where the examples travel"),
    ("ON", "On", "Standing feet are matched with standing feet"),
    ("OFF", "Off", "Poses are compared without regard to what the feet stand on"),
)
STARTS = (
    ("SCENE_START", "Scene Start", "The new motion begins with the scene's frame range"),
    ("PLAYHEAD", "Playhead", "The new motion begins at the current frame"),
    ("FRAME", "Frame", "The new motion begins at a frame of its own"),
)


class GenerationProperties:
    """Everything but the examples that changes the result: the same in the panel and in the operator."""

    frames: IntProperty(
        name="Length",
        description="How many frames the new motion has, at the scene's frame rate",
        default=250,
        min=1,
        soft_max=10_000,
        max=1_000_000,
        options=UNKEPT,
    )
    variations: IntProperty(
        name="Variations",
        description="How many different motions to make in one go",
        default=1,
        min=1,
        soft_max=20,
        max=200,
        options=UNKEPT,
    )
    seed: IntProperty(
        name="Seed",
        description="The start of the random choices: the same seed gives the same motion. "
        "Further variations use the numbers that follow",
        default=0,
        min=0,
        max=LARGEST_SEED,
        options=UNKEPT,
    )
    output: EnumProperty(
        name="Result", description="Where the new motion goes", items=OUTPUTS, default="NEW_CHARACTER", options=UNKEPT
    )
    channels: EnumProperty(
        name="Channels", description="What of the examples is learned", items=CHANNELS, default="AUTO", options=UNKEPT
    )
    thin_keys: BoolProperty(
        name="Simplify Keys",
        description="Leave out keys that the curves do without, so that the motion can be edited by hand",
        default=False,
        options=UNKEPT,
    )
    tolerance: FloatProperty(
        name="Max Error",
        description="How far the curves may stray from the full motion when keys are left out: "
        "rotations in radians, locations as a share of the character's size",
        default=0.005,
        min=0.00001,
        soft_max=0.1,
        max=10.0,
        precision=4,
        step=0.1,
        options=UNKEPT,
    )
    extend_playback: BoolProperty(
        name="Extend Playback Range",
        description="Move the scene's end so that the whole motion plays",
        default=False,
        options=UNKEPT,
    )
    patch_frames: IntProperty(
        name="Patch Length",
        description="How long a patch is in frames (p), the piece of motion that is compared and taken as a whole: "
        "longer keeps to the examples, shorter is freer",
        default=11,
        min=1,
        soft_max=60,
        max=1000,
        options=UNKEPT,
    )
    coarsest_patches: FloatProperty(
        name="Rearrange",
        description="How freely the examples are put into another order: less keeps their order, more mixes them. "
        "The synthesis begins where they are so many patches long (K)",
        default=4.0,
        min=1.0,
        soft_max=20.0,
        max=1000.0,
        options=UNKEPT,
    )
    pyramid_factor: FloatProperty(
        name="Pyramid Factor",
        description="How much shorter each coarser stage is than the next finer one (r)",
        default=0.75,
        min=0.1,
        max=0.95,
        options=UNKEPT,
    )
    use_completeness: BoolProperty(
        name="Use Coverage",
        description="Prefer what the result does not show yet, so that every part of the examples appears",
        default=True,
        options=UNKEPT,
    )
    completeness: FloatProperty(
        name="Completeness Alpha",
        description="How strongly every part of the examples is brought in (alpha): smaller brings in more",
        default=0.01,
        min=0.0001,
        soft_max=1.0,
        max=100.0,
        precision=4,
        step=0.1,
        options=UNKEPT,
    )
    iterations: IntProperty(
        name="Iterations",
        description="How often the motion is matched and blended at each stage (E)",
        default=5,
        min=1,
        soft_max=20,
        max=100,
        options=UNKEPT,
    )
    noise: FloatProperty(
        name="Variety",
        description="How far the initial motion strays from the examples, in their own deviations (sigma): "
        "more brings in rarer transitions, which show more; further examples do better",
        default=1.0,
        min=0.0,
        soft_max=5.0,
        max=100.0,
        options=UNKEPT,
    )
    facing: EnumProperty(
        name="Facing",
        description="Whether the character keeps to the directions of the examples",
        items=FACINGS,
        default="AUTO",
        options=UNKEPT,
    )
    root_bone: StringProperty(
        name="Root Bone",
        description="The bone that carries the character through the world; empty finds it",
        options=UNKEPT,
    )
    parts: EnumProperty(
        name="Parts",
        description="Whether the whole body is taken from one moment of the examples",
        items=PARTS,
        default="WHOLE_BODY",
        options=UNKEPT,
    )
    loop: EnumProperty(
        name="Loop",
        description="Whether the motion can be repeated without end",
        items=LOOPS,
        default="OFF",
        options=UNKEPT,
    )
    use_pins: BoolProperty(
        name="Use Pins",
        description="Go through the poses that are keyed in the character's pins",
        default=True,
        options=UNKEPT,
    )
    use_completion: BoolProperty(
        name="Use Keep Part",
        description="Let some bones play an action as it is, and make the rest of the body to fit",
        default=True,
        options=UNKEPT,
    )
    use_path: BoolProperty(name="Use Path", description="Follow the chosen curve", default=True, options=UNKEPT)
    path_speed: EnumProperty(
        name="Speed",
        description="How fast the character goes along the curve",
        items=PATH_SPEEDS,
        default="EXAMPLES",
        options=UNKEPT,
    )
    path_along: BoolProperty(
        name="Follow Curve",
        description="Turn the character as the curve turns; otherwise it faces as in the examples",
        default=True,
        options=UNKEPT,
    )
    path_climbs: BoolProperty(
        name="Height from Curve",
        description="Go up and down with the curve; otherwise the character stays on its ground",
        default=False,
        options=UNKEPT,
    )
    foot_locking: BoolProperty(
        name="Foot Locking",
        description="Hold a planted foot in its place, by bending the leg above it",
        default=True,
        options=UNKEPT,
    )
    contact_features: EnumProperty(
        name="Match Foot Contacts",
        description="Whether it counts, when poses are compared, which feet stand on the ground",
        items=CONTACTS,
        default="AUTO",
        options=UNKEPT,
    )
    feet_choice: EnumProperty(
        name="Feet", description="Which bones stand on the ground", items=FEET, default="AUTO", options=UNKEPT
    )
    feet: CollectionProperty(
        name="Chosen Feet", description="The bones that stand on the ground", type=GENMM_PG_foot, options=UNKEPT
    )
    joint_weights: CollectionProperty(
        name="Weights",
        description="The bones that count more or less than by what they move",
        type=GENMM_PG_joint_weight,
        options=UNKEPT,
    )
    start_at: EnumProperty(
        name="Start At",
        description="The frame of the scene at which the new motion begins",
        items=STARTS,
        default="SCENE_START",
        options=UNKEPT,
    )
    start_frame: IntProperty(
        name="Start Frame",
        description="The frame of the scene at which the new motion begins",
        default=1,
        min=-LONGEST,
        max=LONGEST,
        options=UNKEPT,
    )


def generation_names() -> tuple[str, ...]:
    """The names of all GenerationProperties."""
    return tuple(GenerationProperties.__annotations__)
