# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion on a skeleton: rotations, kinematics, the root, and files."""

from .begin_at import begin_at
from .bvh.axes import Y_UP, Z_UP, Axes, lies_down
from .bvh.channels import euler_angles
from .bvh.numbers import DEFAULT_RATE, bvh_rate
from .bvh.reading import BvhMotion, load_bvh, read_bvh_motion
from .bvh.text import BvhText, bvh_frames_per_second, read_bvh
from .bvh.writing import BvhJoints, save_bvh, write_bvh_poses
from .filters import gaussian, smoothstep
from .gap import Gap
from .ground_travel import BodyTrack, GroundTravel, ground_travel
from .inheritance import Inheritance
from .interpolation import monotone_cubic
from .kept_poses import poses_kept
from .motion import (
    Motion,
    is_stepped,
    joined,
    joint_accelerations,
    joint_path,
    pose_starts,
    resample,
    resampled_frames,
    same_motion,
    sample,
    with_repeated_poses,
)
from .natural_pose import with_typical_pose
from .npz import FORMAT, add_arrays, format_of, load_motion, save_arrays, skeleton_arrays, stream_array, texts
from .piecewise import SAMPLE, evenly, pieces
from .read_motions import ReadMotions, lengths_of
from .reparenting import on_skeleton, with_parents
from .root_joint import ROOT_NAME, find_body_joint, find_ground_joint, rest_ahead, root_poses, with_root_joint
from .root_motion import (
    IN_PLACE_NET,
    RootPlan,
    encode_root,
    find_root,
    frames_of_extents,
    place_and_heading,
    without_heading,
)
from .skeleton import NO_PARENT, SAME_PLACE, Skeleton, below_parents, forward_kinematics
from .spans import spans

__all__ = [
    "DEFAULT_RATE",
    "FORMAT",
    "IN_PLACE_NET",
    "NO_PARENT",
    "ROOT_NAME",
    "SAME_PLACE",
    "SAMPLE",
    "Y_UP",
    "Z_UP",
    "Axes",
    "BodyTrack",
    "BvhJoints",
    "BvhMotion",
    "BvhText",
    "Gap",
    "GroundTravel",
    "Inheritance",
    "Motion",
    "ReadMotions",
    "RootPlan",
    "Skeleton",
    "add_arrays",
    "begin_at",
    "below_parents",
    "bvh_frames_per_second",
    "bvh_rate",
    "encode_root",
    "euler_angles",
    "evenly",
    "find_body_joint",
    "find_ground_joint",
    "find_root",
    "format_of",
    "forward_kinematics",
    "frames_of_extents",
    "gaussian",
    "ground_travel",
    "is_stepped",
    "joined",
    "joint_accelerations",
    "joint_path",
    "lengths_of",
    "lies_down",
    "load_bvh",
    "load_motion",
    "monotone_cubic",
    "on_skeleton",
    "pieces",
    "place_and_heading",
    "pose_starts",
    "poses_kept",
    "read_bvh",
    "read_bvh_motion",
    "resample",
    "resampled_frames",
    "rest_ahead",
    "root_poses",
    "same_motion",
    "sample",
    "save_arrays",
    "save_bvh",
    "skeleton_arrays",
    "smoothstep",
    "spans",
    "stream_array",
    "texts",
    "with_parents",
    "with_repeated_poses",
    "with_root_joint",
    "with_typical_pose",
    "without_heading",
    "write_bvh_poses",
]
