# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of examples, remarks on them, and the channels that they animate."""
