// SPDX-License-Identifier: GPL-3.0-or-later
// All figures on the page: they move together, and are seen from the same side.

class Stage {
  constructor(theme) {
    this.theme = theme;
    this.camera = new Camera();
    this.figures = new Set();
    this.isPlaying = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.seconds = 0;
    this.turns = 0;
    this.before = null;
    this.drawnMoving = 0; // figures that have shown a second frame
    requestAnimationFrame((now) => this.draw(now));
  }

  /** Put a figure onto a canvas: what a server says of it (figure_values), decoded. Returns what `remove` takes. */
  async add(canvas, values, isExample = false) {
    const motion = await decodeMotion(values.motion, values, values.joints);
    const limbs = values.limbs.map(([above, below], number) => [above, below, values.radii[number]]);
    const figure = { canvas, motion, skeleton: { limbs, head: values.head }, isExample, frames: values.frames, drawn: "", turned: -1, marks: new Map() };
    this.figures.add(figure);
    return figure;
  }

  remove(figure) {
    this.figures.delete(figure);
  }

  /** Have limbs drawn in other colors. marks: names of colors by the numbers of the limbs. */
  mark(figure, marks) {
    figure.marks = marks;
    figure.drawn = "";
  }

  turned() {
    this.turns += 1;
  }

  draw(now) {
    const passed = this.before === null ? 0 : Math.min((now - this.before) / 1000, 0.25);
    this.before = now;
    if (this.isPlaying) this.seconds += passed;
    for (const figure of this.figures) this.drawOne(figure);
    requestAnimationFrame((next) => this.draw(next));
  }

  drawOne(figure) {
    const { canvas, motion, skeleton } = figure;
    const box = canvas.getBoundingClientRect();
    if (!box.width || box.bottom < 0 || box.top > window.innerHeight) return;
    const frame = Math.floor(this.seconds * motion.rate) % figure.frames;
    const drawn = `${frame} ${this.turns} ${box.width}`;
    if (drawn === figure.drawn) return;
    if (figure.drawn && !figure.hasMoved) {
      figure.hasMoved = true;
      this.drawnMoving += 1;
    }
    figure.drawn = drawn;
    const { colors } = this.theme;
    const marked = { free: colors.free, kept: colors.example };
    skeleton.shades = new Map([...figure.marks].map(([limb, name]) => [limb, marked[name]]));
    const { context, width, height } = fitCanvas(canvas);
    const shades = figure.isExample ? colors.example : colors.result;
    drawFigure(context, width, height, this.camera, motion, skeleton, frame, colors, shades, false);
  }
}
