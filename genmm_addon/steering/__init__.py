# SPDX-License-Identifier: GPL-3.0-or-later
"""A character steered live: its examples ready, a proxy that shows it, and the action that is left of it."""
