# SPDX-License-Identifier: GPL-3.0-or-later
"""Input files, opened as scenes, and the requests made for them."""
