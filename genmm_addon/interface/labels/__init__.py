# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels over time: the panel of stretches and markers, and its operators."""
