# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of actions, simplified in place."""
