# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands for pages: `gallery`, its picked motions, and `serve`."""
