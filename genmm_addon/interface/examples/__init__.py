# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of examples, remarks on them, and what they animate."""
