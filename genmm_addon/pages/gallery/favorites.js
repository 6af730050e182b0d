// SPDX-License-Identifier: GPL-3.0-or-later
// Favorites: kept by the browser where it allows that, and saved as the file that `genmm gather --picked` takes.

class Favorites {
  constructor(title, clips) {
    // Pages of files have one storage in common: the title and the files tell which page this is.
    this.key = `genmm gallery ${title} ${checksumOf(clips.map((clip) => clip.file).join("\n"))}`;
    this.clips = clips;
    this.picked = new Set();
    this.changed = () => {};
    try {
      const kept = JSON.parse(localStorage.getItem(this.key) ?? "[]");
      const there = new Map(clips.map((clip) => [idOf(clip), clip]));
      for (const id of kept) if (there.has(id)) this.picked.add(there.get(id));
    } catch {
      // Without storage the favorites last as long as the page is open.
    }
  }

  has(clip) {
    return this.picked.has(clip);
  }

  toggle(clip) {
    if (!this.picked.delete(clip)) this.picked.add(clip);
    try {
      localStorage.setItem(this.key, JSON.stringify([...this.picked].map(idOf)));
    } catch {
      // As above.
    }
    this.changed(clip);
  }

  /** Have the browser save the file. */
  save() {
    const motions = this.clips
      .filter((clip) => this.has(clip))
      .map(({ name, file, character, seed }) => ({ name, file, character, seed }));
    const text = JSON.stringify({ genmm: "favorites", version: 1, motions }, null, 1);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([`${text}\n`], { type: "application/json" }));
    link.download = "favorites.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}

function idOf(clip) {
  return `${clip.file}\n${clip.character}`;
}

/** FNV-1a, 32 bits. */
function checksumOf(text) {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return (sum >>> 0).toString(16);
}
