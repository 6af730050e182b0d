# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles that are dragged without being selected first: what directs a character, and the range to edit."""
