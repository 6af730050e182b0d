# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints brought to places in the world: limbs reach for them, the trunk gives way, and feet keep their places."""
