# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of poses and motions, and the demo made from them."""
