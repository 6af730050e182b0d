// SPDX-License-Identifier: GPL-3.0-or-later
// The cards, one for each clip. Only those on the screen have a canvas, and only those are drawn.

const NEAR_SCREEN = "250px"; // cards so far from the screen are made ready
const RIBBON_HEIGHT = 10;
const FIGURE_HEIGHT = 196;

class Cards {
  constructor(list, clips, gallery) {
    this.list = list;
    this.gallery = gallery;
    this.order = clips;
    this.active = new Set(); // cards with a canvas
    this.free = []; // canvases without a card
    this.current = null; // the card that Tab leads to
    this.watcher = new IntersectionObserver((entries) => entries.forEach((entry) => this.come(entry)), {
      rootMargin: NEAR_SCREEN,
    });
    this.cards = new Map(clips.map((clip) => [clip, this.made(clip)]));
    list.append(...[...this.cards.values()].map((card) => card.item));
    for (const card of this.cards.values()) this.watcher.observe(card.item);
    this.listen();
    this.makeCurrent(clips[0]);
  }

  made(clip) {
    const item = document.createElement("li");
    item.className = "clip";
    const open = document.createElement("button");
    open.type = "button";
    open.className = "open";
    open.tabIndex = -1;
    open.setAttribute("aria-label", describe(clip, this.gallery));
    open.setAttribute("aria-haspopup", "dialog");
    const picture = document.createElement("span");
    picture.className = "picture";
    const name = document.createElement("span");
    name.className = "name";
    name.textContent = clip.name;
    const said = document.createElement("span");
    said.className = "said";
    said.textContent = shortMeasures(clip);
    open.append(picture, name, said);
    const favorite = document.createElement("button");
    favorite.type = "button";
    favorite.className = "favorite";
    favorite.tabIndex = -1;
    item.append(open, favorite);
    const card = { clip, item, open, favorite, picture, canvas: null, drawn: "" };
    item.card = card;
    this.markFavorite(card);
    return card;
  }

  /** A card comes near the screen, or leaves it. */
  come(entry) {
    const card = entry.target.card;
    if (entry.isIntersecting && !card.canvas) {
      card.canvas = this.free.pop() ?? document.createElement("canvas");
      card.canvas.setAttribute("aria-hidden", "true");
      card.picture.append(card.canvas);
      card.drawn = "";
      this.active.add(card);
    } else if (!entry.isIntersecting && card.canvas) {
      card.canvas.remove();
      this.free.push(card.canvas);
      card.canvas = null;
      this.active.delete(card);
    }
  }

  /** Show these clips, in this order. */
  show(clips) {
    const shown = new Set(clips);
    this.order = clips;
    for (const [clip, card] of this.cards) card.item.hidden = !shown.has(clip);
    this.list.append(...clips.map((clip) => this.cards.get(clip).item));
    if (!shown.has(this.current?.clip)) this.makeCurrent(clips[0]);
  }

  /** Draw those cards on the screen that look otherwise than when they were drawn last. */
  draw(frameOf) {
    const { camera, motions, skeletons, examples, colors, isDark, look } = this.gallery;
    for (const card of this.active) {
      const box = card.item.getBoundingClientRect();
      if (box.bottom < 0 || box.top > window.innerHeight) continue;
      const { clip, canvas } = card;
      const motion = motions.get(clip);
      const frame = motion ? frameOf(clip) : -1;
      const drawn = `${frame} ${look} ${canvas.clientWidth}`;
      if (drawn === card.drawn) continue;
      card.drawn = drawn;
      const { context, width, height } = fitCanvas(canvas);
      const floor = height - RIBBON_HEIGHT - 6;
      if (motion) drawFigure(context, width, floor, camera, motion, skeletons[clip.skeleton], frame, colors, colors.result, false);
      context.fillStyle = colors[motion ? "panel" : "sky"];
      context.fillRect(0, motion ? floor : 0, width, height);
      if (!clip.parts.length) continue;
      const left = 8;
      drawRibbon(context, left, height - RIBBON_HEIGHT - 1, width - 2 * left, RIBBON_HEIGHT, clip, 0, examples, colors, isDark);
      if (motion) drawPlace(context, left + ((width - 2 * left) * frame) / clip.frames, height - RIBBON_HEIGHT - 1, RIBBON_HEIGHT, colors);
    }
  }

  listen() {
    let dragged = false;
    orbitByDrag(this.list, this.gallery.camera, () => this.gallery.turned(), () => { dragged = true; });
    this.list.addEventListener("pointerdown", () => { dragged = false; });
    this.list.addEventListener("click", (event) => {
      const card = event.target.closest(".clip")?.card;
      if (!card) return;
      this.makeCurrent(card.clip);
      if (event.target === card.favorite) this.gallery.favorites.toggle(card.clip);
      else if (!dragged || event.detail === 0) this.gallery.open(card.clip);
    });
    this.list.addEventListener("focusin", (event) => {
      const card = event.target.closest(".clip")?.card;
      if (card) this.makeCurrent(card.clip);
    });
    this.list.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.goByKey(event.key)) event.preventDefault();
    });
    // Space plays and pauses; some browsers press the button only when it is let go.
    this.list.addEventListener("keyup", (event) => {
      if (event.key === " " && event.target.matches(".open")) event.preventDefault();
    });
  }

  /** What a key does among the cards; false where it means nothing here. */
  goByKey(key) {
    const at = this.order.indexOf(this.current?.clip);
    const last = this.order.length - 1;
    const row = this.columns();
    const places = { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + row, ArrowUp: at - row, Home: 0, End: last };
    if (key in places && last >= 0) this.focus(this.order[Math.min(Math.max(places[key], 0), last)]);
    else if (key.toLowerCase() === "f" && this.current) this.gallery.favorites.toggle(this.current.clip);
    else return false;
    return true;
  }

  columns() {
    return getComputedStyle(this.list).gridTemplateColumns.split(" ").length;
  }

  focus(clip) {
    if (!clip) return;
    this.makeCurrent(clip);
    this.current.open.focus();
    this.current.item.scrollIntoView({ block: "nearest" });
  }

  /** One card alone is among the places that Tab goes to. */
  makeCurrent(clip) {
    for (const [card, place] of [[this.current, -1], [this.cards.get(clip), 0]]) {
      if (card) card.open.tabIndex = card.favorite.tabIndex = place;
    }
    this.current = this.cards.get(clip) ?? null;
  }

  markFavorite(card) {
    const is = this.gallery.favorites.has(card.clip);
    card.favorite.textContent = is ? "\u2605" : "\u2606";
    card.favorite.setAttribute("aria-pressed", String(is));
    card.favorite.setAttribute("aria-label", `Favorite: ${card.clip.name}`);
  }
}

/** A clip in words, for those who hear the page. */
function describe(clip, gallery) {
  const said = [clip.name, `${(clip.frames / clip.rate).toFixed(1)} seconds`];
  if (clip.seed !== null) said.push(`seed ${clip.seed}`);
  const sources = [...gallery.sourcesOf(clip)];
  if (sources.length) said.push(`from ${sources.join(", ")}`);
  for (const [name, { title, text }] of Object.entries(MEASURES)) {
    const value = measureOf(clip, name);
    if (value !== null) said.push(`${title} ${text(value)}`);
  }
  return said.join(", ");
}

function shortMeasures(clip) {
  const said = [];
  if (clip.seed !== null) said.push(`seed ${clip.seed}`);
  if (clip.coverage !== null) said.push(`covers ${MEASURES.coverage.text(clip.coverage)}`);
  if (clip.skate !== null) said.push(`skate ${clip.skate.toFixed(1)}`);
  if (clip.cuts !== null) said.push(`${clip.cuts.length} ${clip.cuts.length === 1 ? "cut" : "cuts"}`);
  if (clip.through) said.push(`${clip.through} through body`);
  said.push(...clip.followed);
  return said.join(" \u00b7 ") || `${clip.frames} frames`;
}
