// SPDX-License-Identifier: GPL-3.0-or-later
// The ribbon of sources: which example each frame shows, in that example's color; cuts that may show are marked.

const HUES = 137.5; // degrees between two examples: no two of a few are alike
const MARK = 4; // half the width of a mark, in pixels

/** The stretch that a frame of a part lies in, or null: [start, length, example, source start, rate]. */
function stretchAt(stretches, frame) {
  let [low, high] = [0, stretches.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (stretches[middle][0] <= frame) low = middle;
    else high = middle - 1;
  }
  return stretches[low] ?? null;
}

/** The example that a frame came from, by its number in the page, and the frame of it; null where that is not known. */
function sourceAt(clip, part, frame) {
  const stretch = clip.parts[part] && stretchAt(clip.parts[part][1], frame);
  if (!stretch) return null;
  const [start, , which, source, rate = 1] = stretch;
  const [example, step] = clip.examples[which];
  return { example, frame: source + (frame - start) * step * rate };
}

function colorOf(example, share, isDark) {
  const light = isDark ? 38 + 26 * share : 78 - 26 * share;
  return `hsl(${(210 + example * HUES) % 360} 55% ${light}%)`;
}

/** Draw the ribbon of a part; the later a frame lies in its example, the stronger its color. */
function drawRibbon(context, left, top, width, height, clip, part, examples, colors, isDark) {
  context.fillStyle = colors.line;
  context.fillRect(left, top, width, height);
  for (const [start, length, which, source, rate = 1] of clip.parts[part]?.[1] ?? []) {
    const [example, step, frames] = clip.examples[which];
    const from = left + (start / clip.frames) * width;
    const to = left + ((start + length) / clip.frames) * width;
    const shades = context.createLinearGradient(from, 0, to, 0);
    shades.addColorStop(0, colorOf(example, Math.min(source / frames, 1), isDark));
    shades.addColorStop(1, colorOf(example, Math.min((source + length * step * rate) / frames, 1), isDark));
    context.fillStyle = shades;
    context.fillRect(from, top, to - from, height);
    context.fillStyle = colors.panel;
    if (start > 0) context.fillRect(from - 0.5, top, 1, height);
  }
  for (const cut of clip.cuts ?? []) drawMark(context, left + (cut / clip.frames) * width, top, height, colors);
}

/** A mark that does not live by its color alone: a line with a triangle above it. */
function drawMark(context, at, top, height, colors) {
  context.fillStyle = colors.alert;
  context.fillRect(at - 1, top, 2, height);
  context.beginPath();
  context.moveTo(at - MARK, top - 3);
  context.lineTo(at + MARK, top - 3);
  context.lineTo(at, top + MARK);
  context.fill();
}

function drawPlace(context, at, top, height, colors) {
  context.fillStyle = colors.text;
  context.fillRect(at - 1, top - 2, 2, height + 4);
}
