// SPDX-License-Identifier: GPL-3.0-or-later
// The clips' motions, decoded as they are looked at.

/** Decoded motions; those that nobody has looked at for longest are forgotten. */
class Motions {
  constructor(skeletons, most) {
    this.skeletons = skeletons;
    this.most = most;
    this.found = new Map(); // in the order of their last use
    this.waiting = new Set();
  }

  /** The motion of a clip or example, or null while it is not there yet. */
  get(values) {
    const key = values.motion;
    const found = this.found.get(key);
    if (found) {
      this.found.delete(key);
      this.found.set(key, found);
      return found;
    }
    if (values.frames > 0 && !this.waiting.has(key)) this.decode(values);
    return null;
  }

  async decode(values) {
    const key = values.motion;
    this.waiting.add(key);
    try {
      const text = document.getElementById(`motion-${key}`)?.textContent;
      if (text === undefined) return; // the page is still loading
      this.found.set(key, await decodeMotion(text, values, this.skeletons[values.skeleton].joints));
    } finally {
      this.waiting.delete(key);
    }
    while (this.found.size > this.most) this.found.delete(this.found.keys().next().value);
  }
}
