# SPDX-License-Identifier: GPL-3.0-or-later
"""A server for one person on one machine: its address and checks, its jobs and its files; without Blender."""
