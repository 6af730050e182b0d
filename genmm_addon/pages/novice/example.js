// SPDX-License-Identifier: GPL-3.0-or-later
// The motion that was dropped: its figure, and what is known of it.

class ExampleView {
  constructor(stage) {
    this.stage = stage;
    this.canvas = document.getElementById("example");
    this.figure = null;
    this.motion = null;
    orbitByDrag(this.canvas, stage.camera, () => stage.turned());
  }

  async show(motion) {
    this.motion = motion;
    document.getElementById("example-name").textContent = motion.name;
    this.sayFacts(motion.actions[motion.action].seconds);
    const notes = document.getElementById("notes");
    notes.hidden = !motion.notes.length;
    notes.replaceChildren(...motion.notes.map((text) => element("li", "", text)));
    await this.showFigure(motion);
  }

  sayFacts(seconds) {
    const { bones, rate } = this.motion;
    document.getElementById("facts").textContent = `${seconds.toFixed(1)} seconds, ${bones} bones, ${rate} frames per second`;
  }

  /** Show the figure of an action, with its body parts. */
  async showFigure(values) {
    const figure = await this.stage.add(this.canvas, values.figure, true);
    if (this.figure) this.stage.remove(this.figure);
    this.figure = figure;
  }
}

/** A new element with a class and a text. */
function element(tag, name, text = "") {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.textContent = text;
  return made;
}
