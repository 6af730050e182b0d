# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that go through the body: found by capsules around its bones, and pushed out."""
