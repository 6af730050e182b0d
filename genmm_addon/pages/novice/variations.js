// SPDX-License-Identifier: GPL-3.0-or-later
// The variations: each moves on a card of its own, can be kept, and downloaded.

const KINDS = [[".bvh", "BVH"], [".glb", "glb"], [".fbx", "FBX"]];

class Variations {
  /** save: has a variation written as a kind of file. notWritten: sentences on kinds that cannot be. */
  constructor(stage, save, notWritten) {
    this.stage = stage;
    this.save = save;
    this.notWritten = notWritten;
    this.list = document.getElementById("variations");
    this.cards = new Set();
    orbitByDrag(this.list, stage.camera, () => stage.turned());
  }

  /** Take those away that nobody keeps. */
  clear() {
    for (const card of [...this.cards]) if (!card.isKept) this.drop(card);
  }

  drop(card) {
    this.stage.remove(card.figure);
    card.item.remove();
    this.cards.delete(card);
  }

  /** Add a card. made: what the server says of the variation; choices: what it was asked for; marks: limbs in other colors. */
  async add(made, name, choices, marks) {
    const title = `Variation ${made.seed}`;
    const item = element("li", "variation");
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${title} of ${name}, moving`);
    const said = element("p", "said", [`${name}, ${made.seconds.toFixed(1)} s`, ...made.notes].join(". "));
    const card = { item, made, choices, isKept: false, figure: null };
    const head = element("div", "bar head");
    head.append(element("h3", "", title), this.keepButton(card, `${title} of ${name}`));
    item.append(canvas, head, said, this.downloads(card, `${title} of ${name}`));
    this.list.append(item);
    this.cards.add(card);
    card.figure = await this.stage.add(canvas, made.figure);
    this.stage.mark(card.figure, marks);
  }

  keepButton(card, called) {
    const keep = element("button", "keep", "\u2606 Keep");
    keep.type = "button";
    keep.setAttribute("aria-pressed", "false");
    keep.setAttribute("aria-label", `Keep ${called}`);
    keep.addEventListener("click", () => {
      card.isKept = !card.isKept;
      card.item.classList.toggle("kept", card.isKept);
      keep.setAttribute("aria-pressed", String(card.isKept));
      keep.textContent = card.isKept ? "\u2605 Kept" : "\u2606 Keep";
    });
    return keep;
  }

  downloads(card, called) {
    const bar = element("div", "bar downloads");
    for (const [kind, text] of KINDS) {
      const button = element("button", "", `\u2193 ${text}`);
      button.type = "button";
      button.setAttribute("aria-label", `Download ${called} as ${text}`);
      button.disabled = kind in this.notWritten;
      button.title = this.notWritten[kind] ?? `Download as ${text}`;
      button.addEventListener("click", () => this.save(card, kind, `${called} as ${text}`));
      bar.append(button);
    }
    return bar;
  }
}
