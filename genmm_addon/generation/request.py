# SPDX-License-Identifier: GPL-3.0-or-later
"""The request of one press of Generate, complete and checked."""

from dataclasses import dataclass

from bpy.types import Action, Object, Scene

from ..animation.bone_places import PLACES
from ..animation.foot_locks import FOOT_LOCKS
from ..animation.keys.simplification import KEY_SPACINGS, KeySpacing, Simplification, as_dense_as, simplification
from ..animation.labels import LABELS
from ..animation.reading.evaluation import LAST_FRAME
from ..animation.reading.examples import ExampleSpec
from ..animation.signals.follows import FOLLOWS
from ..character.tags import Output as Output  # part of what a request is
from ..core import (
    Follow,
    FootLocks,
    InputError,
    Labels,
    Loop,
    Places,
    PoseConstraint,
    RootPath,
    Settings,
    Waypoints,
)
from ..core.constraints import OnGround
from ..core.fields import (
    Option,
    Property,
    Switched,
    instance,
    items,
    optional,
    pairs,
    setting,
    settle,
    settle_settings,
    text,
    whole_number,
)
from ..core.motion import ROOT_NAME
from ..libraries.choosing import LibraryChoice
from .direction import CompletionSpec, GroundSpec, PartSpec, PathSpec, PinsSpec, WaypointSpec
from .records.choices import CHANNELS, LOOPS, OUTPUTS, PARTS
from .records.choices import PartMode as PartMode
from .records.conversions import LARGEST_SEED as LARGEST_SEED
from .records.conversions import STARTS, Kept, KeptList, KeptRecord, KeptWhile, Nested, Seeds, Start, Unshown
from .stretches.redone import checked_redone

MOST_VARIATIONS = 1_000
DEFAULT_SETTINGS = Settings()


@dataclass(frozen=True, eq=False)
class Request:
    """The values of one press of Generate. Raises InputError where a value cannot be used.

    Accepts what a script would write: NumPy numbers, 30.0, "NEW_ACTION", lists, one seed, actions as examples.

    frames: the length of each result in scene frames. seeds: one result for each, in this order. visual: read the
    evaluated pose (None: where the bones have no keys). tolerance: the largest error of thinned keys (0 keeps a key on
    every frame). frame_start: the scene frame at which the result begins (None: the scene's first). parts: with
    PAINTED, the parts; bones in none of them form the remainder. pins, completion, path: None for none. waypoints:
    empties that the root passes. ground: the object that feet stand on; None for flat ground. bone_names: for examples
    of other characters, pairs of a bone's name there and its name here, in addition to those found automatically.
    library: clips of libraries to learn from, in place of the examples.
    """

    armature: Object
    examples: tuple[ExampleSpec, ...]
    frames: int = setting(
        label="Length",
        tooltip="Number of frames of the new motion, at the scene's frame rate",
        shown_default=250,
        minimum=1,
        maximum=LAST_FRAME,
        soft_maximum=10_000,
        unit="frame",
    )
    seeds: tuple[int, ...] = setting(
        (0,),
        "Seed",
        "The start of the random choices; the same seed gives the same motion, and further variations use the numbers "
        "that follow",
        name="seed",
        shown_default=0,
        minimum=0,
        maximum=LARGEST_SEED,
        beside=(
            Property(
                "Variations",
                "Number of different motions to make at once",
                "variations",
                1,
                minimum=1,
                maximum=MOST_VARIATIONS,
                soft_maximum=20,
            ),
        ),
        conversion=Seeds(),
        take=items(whole_number, "a list of seeds"),
    )
    settings: Settings = setting(
        DEFAULT_SETTINGS, properties=(), conversion=Nested(), take=instance(Settings, "Settings")
    )
    part_mode: PartMode = setting(
        PartMode.WHOLE_BODY,
        "Parts",
        "The parts of the body that may come from different moments of the examples",
        name="parts",
        choices=PARTS,
        option=Option("--parts", "parts of the body: whole, limbs or painted", "KIND", "direction"),
        preset=True,
    )
    visual: bool | None = setting(
        None,
        "Channels",
        "The channels of the examples to learn from",
        name="channels",
        choices=CHANNELS,
        option=Option("--channels", "channels to read: auto, keyed or visual", "KIND"),
    )
    output: Output = setting(
        Output.NEW_CHARACTER, "Result", "The character, action or strip that gets the new motion", choices=OUTPUTS
    )
    tolerance: float = setting(
        0.0,
        "Max Error",
        "Largest deviation of the curves from the full motion when keys are left out: rotations in radians, "
        "locations as a share of the character's size",
        shown_default=0.005,
        minimum=0.0,
        soft_minimum=0.00001,
        soft_maximum=0.1,
        precision=4,
        step=0.1,
        beside=(
            Property(
                "Straight Lines",
                "Leave out keys that lie on straight lines between the others, as earlier versions simplified keys",
                "thin_keys",
            ),
        ),
        conversion=Switched(0.0, digits_made_up=True),
        option=Option("--tolerance", "maximum error of curves when keys are reduced; 0 keeps all keys", "T"),
    )
    key_spacing: KeySpacing = setting(
        KeySpacing.EVERY_FRAME,
        "Simplify Keys",
        "The frames of the new motion that get keys",
        choices=KEY_SPACINGS,
        option=Option(
            "--keys",
            "keys of the result: on every frame, few for all bones together, few per bone, or as in the examples: "
            "every, shared, bones, examples",
        ),
        sparse=True,
    )
    key_error_degrees: float = setting(
        0.5,
        "Max Angle",
        "Largest angle by which simplified keys may turn a bone from its rotation at any frame, in degrees",
        minimum=0.001,
        maximum=180.0,
        soft_minimum=0.01,
        soft_maximum=5.0,
        precision=2,
        step=10,
        unit="degree",
        option=Option("--max-angle", "maximum error of simplified keys in degrees (default: 0.5)", "D"),
        sparse=True,
    )
    key_error_percent: float = setting(
        0.5,
        "Max Offset",
        "Largest distance by which simplified keys may move a location or a foot at any frame, in percent of the "
        "character's size",
        minimum=0.001,
        maximum=100.0,
        soft_minimum=0.01,
        soft_maximum=5.0,
        precision=2,
        step=10,
        option=Option(
            "--max-offset", "maximum error of simplified keys in percent of the character's size (default: 0.5)", "P"
        ),
        sparse=True,
    )
    extend_playback: bool = setting(
        False, "Extend Playback Range", "Move the scene's end so that the whole motion plays"
    )
    frame_start: float | None = setting(
        None,
        "Start Frame",
        "The scene frame at which the new motion begins",
        name="start_frame",
        shown_default=1,
        minimum=-LAST_FRAME,
        maximum=LAST_FRAME,
        unit="frame",
        beside=(Property("Start At", "The frame at which the new motion begins", "start_at", choices=STARTS),),
        conversion=Start(),
        option=Option(
            "--start-frame",
            "the first frame of the result (default: as in the settings, else the start of the scene)",
            "F",
            "length",
            kind=int,
        ),
    )
    loop: Loop = setting(
        Loop.OFF,
        "Loop",
        "Make a motion that can be repeated without end",
        choices=LOOPS,
        option=Option("--loop", "cycle: off, travel or in-place", "KIND", "direction"),
    )
    labels: str = setting(
        "",
        "Labels",
        "Tags of examples and the scene frames that show them, such as style=angry 1-80, style=old 81-160",
        option=Option("--labels", 'tags and their frames: "style=angry 1-80, style=old 81-160"', "LIST", "direction"),
        take=LABELS,
        sparse=True,
        constraint=Labels,
    )
    label_markers: bool = setting(
        True,
        "Use Markers",
        "Use timeline markers such as style=angry as labels: from their frame on, examples with that tag are shown",
        option=Option("--no-label-markers", "ignore markers such as style=angry", group="direction"),
        sparse=True,
    )
    foot_locks: str = setting(
        "",
        "Foot Locks",
        "Feet that are always or never locked over scene frames, such as foot.L always 40-70, foot.R never 90-110",
        option=Option("--foot-lock", 'feet locked over frames: "foot.L always 40-70"', "LIST", "direction"),
        panel="feet",
        take=FOOT_LOCKS,
        sparse=True,
        constraint=FootLocks,
    )
    reaches: str = setting(
        "",
        "Bone Places",
        "Bones to keep at objects over scene frames, such as hand.R at Handle 40-70, foot.L at Step 10-30 turned",
        option=Option("--reach", 'bones at objects over frames: "hand.R at Handle 40-70"', "LIST", "direction"),
        take=PLACES,
        sparse=True,
        constraint=Places,
    )
    redone: str = setting(
        "",
        "Stretches Made Anew",
        "Stretches of the motion to regenerate, one after another, by their frames counted from 1 and the number of "
        "the alternative, such as 41-70, 90-100:2",
        option=Option("--redo", 'stretches of the motion to regenerate: "41-70, 90-100:2"', "LIST", "direction"),
        take=checked_redone,
        sparse=True,
    )
    follows: str = setting(
        "",
        "Follow",
        "Signals that the motion follows, such as sound Music drives energy, or sound Music drives beats",
        option=Option(
            "--follow", 'signals that the motion follows: "sound song.wav drives energy"', "LIST", "direction"
        ),
        panel="follow",
        take=FOLLOWS,
        sparse=True,
        constraint=Follow,
    )
    root_motion: bool = setting(
        False,
        "Root Motion",
        "Move the travel over the ground to a bone at the top of the skeleton, as game engines expect it; a missing "
        "bone is added, and all other bones stay where they are in the world",
        option=Option("--root-motion", "transfer the root motion to a root bone, as for game engines", group="length"),
        sparse=True,
    )
    root_motion_bone: str = setting(
        ROOT_NAME,
        "Root Bone",
        "The name of the bone that carries the travel; if no bone has it, the bone at the top above the hips is used",
        option=Option("--root-motion-bone", "name of the root bone (default: root)", "NAME", "length"),
        take=text,
        sparse=True,
    )
    parts: tuple[PartSpec, ...] = setting(
        (),
        properties=(),
        conversion=KeptWhile("parts", PartMode.PAINTED.value),
        take=items(instance(PartSpec, "a list of PartSpec"), "a list of PartSpec"),
    )
    pins: PinsSpec | None = setting(
        None,
        "Use Pins",
        "Go through the poses that are keyed in the character's pins",
        name="use_pins",
        shown_default=True,
        conversion=Kept(),
        take=optional(instance(PinsSpec, "a PinsSpec")),
        constraint=PoseConstraint,
    )
    completion: CompletionSpec | None = setting(
        None,
        "Use Keep Part",
        "Let some bones play an action unchanged, and generate the rest of the body to fit",
        name="use_completion",
        shown_default=True,
        conversion=Kept(),
        take=optional(instance(CompletionSpec, "a CompletionSpec")),
        constraint=PoseConstraint,
    )
    path: PathSpec | None = setting(
        None,
        "Use Path",
        "Follow the chosen curve",
        name="use_path",
        shown_default=True,
        conversion=Kept(),
        take=optional(instance(PathSpec, "a PathSpec")),
        constraint=RootPath,
    )
    waypoints: tuple[WaypointSpec, ...] = setting(
        (),
        "Use Waypoints",
        "Pass the empties of the list, each at its frame",
        name="use_waypoints",
        shown_default=True,
        conversion=KeptList(),
        take=items(instance(WaypointSpec, "a list of WaypointSpec"), "a list of WaypointSpec"),
        sparse=True,
        constraint=Waypoints,
    )
    ground: GroundSpec | None = setting(
        None,
        "Use Ground",
        "Put the feet of the new motion on the chosen object, such as stairs, slopes or terrain",
        name="use_ground",
        shown_default=True,
        conversion=KeptRecord(),
        take=optional(instance(GroundSpec, "a GroundSpec")),
        sparse=True,
        constraint=OnGround,
    )
    bone_names: tuple[tuple[str, str], ...] = ()
    keep_contacts: bool = setting(
        True,
        "Keep Contacts",
        "In motions of other characters and libraries, hands that touch each other or the body do so on this "
        "character too, whatever its proportions",
        option=Option("--no-keep-contacts", "do not preserve contacts of hands with the body"),
        since=4,
        before=False,
        sparse=True,
    )
    library: LibraryChoice | None = setting(
        None,
        properties=(),
        conversion=Unshown(),
        take=optional(instance(LibraryChoice, "a LibraryChoice")),
        sparse=True,
    )

    def __post_init__(self) -> None:
        settle(
            self,
            armature=instance(Object, "an armature object"),
            examples=items(_example, "a list of examples"),
            bone_names=pairs(text, text, "pairs of bone names"),
        )
        settle_settings(self)
        if not 1 <= len(self.seeds) <= MOST_VARIATIONS:
            raise InputError(f"Variations must lie between 1 and {MOST_VARIATIONS:,}.")

    def key_precision(self, scene: Scene) -> Simplification | None:
        """Return the precision of simplified keys; None where every frame has a key."""
        precision = simplification(self.key_spacing, self.key_error_degrees, self.key_error_percent)
        if precision is None or self.key_spacing is not KeySpacing.AS_EXAMPLES:
            return precision
        return as_dense_as(precision, self.armature, self.examples, scene)


def _example(value: object, name: str) -> ExampleSpec:
    if isinstance(value, Action):
        return ExampleSpec(value)
    spec: ExampleSpec = instance(ExampleSpec, "an ExampleSpec or an action")(value, name)
    return spec


RECORDS = (Settings, Request, PathSpec)
"""The records whose settings the panel, presets and the command line show."""
