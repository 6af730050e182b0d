# SPDX-License-Identifier: GPL-3.0-or-later
"""A server for one person at one machine: its address and checks, its jobs and its files; no Blender."""
