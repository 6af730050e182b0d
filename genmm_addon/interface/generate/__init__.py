# SPDX-License-Identifier: GPL-3.0-or-later
"""The Generate button, its panels, and the sample character."""
