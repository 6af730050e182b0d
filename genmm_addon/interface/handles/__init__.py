# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles in the viewport: the waypoints, path and places of the character, dragged without being selected first."""
