# SPDX-License-Identifier: GPL-3.0-or-later
"""Pieces of many frames."""

import numpy as np

from genmm_addon.core.motion.piecewise import PIECE, pieces


def test_pieces_cover_all_frames_once() -> None:
    frames = 2 * PIECE + 1
    covered = np.concatenate([np.arange(piece.start, piece.stop) for piece in pieces(frames)])
    assert np.array_equal(covered, np.arange(frames))
    assert not list(pieces(0))
