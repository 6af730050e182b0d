# SPDX-License-Identifier: GPL-3.0-or-later
"""Live steering of a character: its prepared examples, the proxy that shows it, and the resulting action."""
