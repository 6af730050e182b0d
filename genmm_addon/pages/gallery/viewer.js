// SPDX-License-Identifier: GPL-3.0-or-later
// One clip large, beside the example that its frames came from, with the ribbon and a slider to scrub.

const RIBBON_EDGE = 8; // pixels left and right of the large ribbon

class Viewer {
  constructor(gallery) {
    this.gallery = gallery;
    this.clip = null;
    this.part = 0;
    this.position = 0; // in frames, with a share of one while it plays
    this.isPlaying = false;
    this.drawn = "";
    const element = (name) => document.getElementById(`viewer-${name}`);
    this.elements = Object.fromEntries(
      "result example ribbon title favorite before after close beside source play frame at speed part part-label measures cuts"
        .split(" ")
        .map((name) => [name, element(name)]),
    );
    this.dialog = document.getElementById("viewer");
    this.listen();
  }

  get isOpen() {
    return this.dialog.open;
  }

  /** The frame that is shown. */
  get at() {
    return Math.min(Math.floor(this.position), this.clip.frames - 1);
  }

  open(clip) {
    const { title, frame, part } = this.elements;
    this.clip = clip;
    this.part = 0;
    this.position = 0;
    title.textContent = clip.name;
    this.dialog.setAttribute("aria-label", clip.name);
    frame.max = String(clip.frames - 1);
    const names = clip.parts.map(([name]) => name);
    part.replaceChildren(...names.map((name, number) => new Option(name, String(number))));
    this.elements["part-label"].hidden = names.length < 2;
    this.sayMeasures();
    this.markFavorite();
    this.setPlaying(!this.gallery.isStill);
    this.drawn = "";
    if (!this.dialog.open) this.dialog.showModal();
  }

  /** Go on by so many seconds, and draw what has changed. */
  draw(seconds) {
    const { motions, skeletons, examples, colors, look } = this.gallery;
    const { clip, elements } = this;
    if (this.isPlaying) {
      this.position = (this.position + seconds * clip.rate * Number(elements.speed.value)) % clip.frames;
    }
    const source = sourceAt(clip, this.part, this.at);
    const other = source && examples[source.example].frames ? examples[source.example] : null;
    const motion = motions.get(clip);
    const beside = other && motions.get(other);
    const drawn = [this.at, look, Boolean(motion), Boolean(beside), this.part, window.innerWidth, window.innerHeight].join(" ");
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    elements.beside.hidden = !clip.parts.length;
    this.drawOne(elements.result, motion, skeletons[clip.skeleton], this.at, colors.result);
    if (clip.parts.length) {
      const frame = source ? Math.round(source.frame) : 0;
      const within = other ? Math.min(Math.max(frame, 0), other.frames - 1) : 0;
      this.drawOne(elements.example, beside, other && skeletons[other.skeleton], within, colors.example);
    }
    this.drawSources();
    this.say(source, other);
  }

  drawOne(canvas, motion, skeleton, frame, shades) {
    const { camera, colors } = this.gallery;
    const { context, width, height } = fitCanvas(canvas);
    if (motion) {
      drawFigure(context, width, height, camera, motion, skeleton, frame, colors, shades, true);
      return;
    }
    context.fillStyle = colors.sky;
    context.fillRect(0, 0, width, height);
  }

  drawSources() {
    const { examples, colors, isDark } = this.gallery;
    const { context, width, height } = fitCanvas(this.elements.ribbon);
    context.fillStyle = colors.panel;
    context.fillRect(0, 0, width, height);
    const [top, across] = [10, width - 2 * RIBBON_EDGE];
    drawRibbon(context, RIBBON_EDGE, top, across, height - top - 4, this.clip, this.part, examples, colors, isDark);
    drawPlace(context, RIBBON_EDGE + (across * this.at) / this.clip.frames, top, height - top - 4, colors);
  }

  /** The frame and its source in words. */
  say(source, other) {
    const { frame, at, source: caption, result, example, ribbon } = this.elements;
    const title = source ? this.gallery.examples[source.example].title : "";
    const of = source ? `${title}, frame ${Math.round(source.frame)}` : "";
    frame.value = String(this.at);
    at.textContent = `${this.at} of ${this.clip.frames - 1}`;
    caption.textContent = !source ? "" : other ? `Example: ${of}` : `Example: ${of} (its motion is not in this page)`;
    frame.setAttribute("aria-valuetext", of ? `frame ${this.at}, from ${of}` : `frame ${this.at}`);
    result.setAttribute("aria-label", `${this.clip.name}, seen from the side; A, D, W and S turn it`);
    example.setAttribute("aria-label", of ? `The example ${of}` : "No example is known");
    ribbon.setAttribute("aria-label", this.ribbonInWords());
  }

  ribbonInWords() {
    const stretches = this.clip.parts[this.part]?.[1] ?? [];
    const used = [...new Set(stretches.map((row) => this.gallery.examples[this.clip.examples[row[2]][0]].title))];
    return used.length ? `Sources: ${stretches.length} stretches of ${used.join(", ")}` : "No sources are known";
  }

  sayMeasures() {
    const { clip, gallery } = this;
    const rows = [["File", clip.file], ["Length", `${clip.frames} frames at ${clip.rate} a second`]];
    if (clip.character) rows.push(["Character", clip.character]);
    if (clip.seed !== null) rows.push(["Seed", String(clip.seed)]);
    const sources = [...gallery.sourcesOf(clip)];
    if (sources.length) rows.push(["Source", sources.join(", ")]);
    for (const [name, { title, text, meaning }] of Object.entries(MEASURES)) {
      const value = measureOf(clip, name);
      rows.push([title, value === null ? "not measured" : `${text(value)} (${meaning})`]);
    }
    this.elements.measures.replaceChildren(...rows.map(([title, text]) => definition(title, text)));
    this.elements.cuts.textContent = clip.cuts === null ? "" : saidCuts(clip.cuts);
  }

  markFavorite() {
    const is = this.gallery.favorites.has(this.clip);
    this.elements.favorite.textContent = is ? "\u2605 Favorite" : "\u2606 Favorite";
    this.elements.favorite.setAttribute("aria-pressed", String(is));
  }

  setPlaying(isPlaying) {
    this.isPlaying = isPlaying;
    this.elements.play.textContent = isPlaying ? "Pause" : "Play";
  }

  /** Show a frame, and stay there. */
  scrub(frame) {
    this.setPlaying(false);
    this.position = Math.min(Math.max(frame, 0), this.clip.frames - 1);
  }

  /** Open the next or an earlier clip of those in the list. */
  step(count) {
    const { order } = this.gallery.cards;
    const at = order.indexOf(this.clip) + count;
    if (order[at]) this.open(order[at]);
  }

  listen() {
    const { result, example, ribbon, favorite, before, after, close, play, frame, part } = this.elements;
    for (const canvas of [result, example]) {
      orbitByDrag(canvas, this.gallery.camera, () => this.gallery.turned());
      canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        this.gallery.camera.nearer(event.deltaY < 0 ? 1.1 : 1 / 1.1);
        this.gallery.turned();
      }, { passive: false });
    }
    const scrubTo = (event) => {
      const box = ribbon.getBoundingClientRect();
      const share = (event.clientX - box.left - RIBBON_EDGE) / (box.width - 2 * RIBBON_EDGE);
      this.scrub(Math.floor(share * this.clip.frames));
    };
    ribbon.addEventListener("pointerdown", (event) => {
      ribbon.setPointerCapture(event.pointerId);
      scrubTo(event);
    });
    ribbon.addEventListener("pointermove", (event) => event.buttons && scrubTo(event));
    favorite.addEventListener("click", () => this.gallery.favorites.toggle(this.clip));
    before.addEventListener("click", () => this.step(-1));
    after.addEventListener("click", () => this.step(1));
    close.addEventListener("click", () => this.dialog.close());
    play.addEventListener("click", () => this.setPlaying(!this.isPlaying));
    frame.addEventListener("input", () => this.scrub(Number(frame.value)));
    part.addEventListener("change", () => { this.part = Number(part.value); });
    this.dialog.addEventListener("close", () => this.gallery.cards.focus(this.clip));
    this.dialog.addEventListener("keydown", (event) => this.onKey(event));
  }

  onKey(event) {
    const typing = event.target.matches("input, select");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && !event.target.matches("button, select")) this.setPlaying(!this.isPlaying);
    else if (event.key === ",") this.scrub(this.at - 1);
    else if (event.key === ".") this.scrub(this.at + 1);
    else if (event.key.toLowerCase() === "f" && !typing) this.gallery.favorites.toggle(this.clip);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function saidCuts(frames) {
  if (!frames.length) return "No cut shows.";
  return frames.length === 1 ? `One cut may show, at frame ${frames[0]}.` : `Cuts may show at frames ${frames.join(", ")}.`;
}

function definition(title, text) {
  const row = document.createElement("div");
  const [term, value] = [document.createElement("dt"), document.createElement("dd")];
  term.textContent = title;
  value.textContent = text;
  row.append(term, value);
  return row;
}
