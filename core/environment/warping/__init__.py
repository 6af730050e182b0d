# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion fitted to an object that was moved, raised or turned: its root path, steps, hands and feet."""
