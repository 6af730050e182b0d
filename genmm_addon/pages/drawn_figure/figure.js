// SPDX-License-Identifier: GPL-3.0-or-later
// Drawing of a figure on its ground, with lines that are as thick as its limbs.

const GROUND_REACH = 1.25; // radius of the ground that is drawn, in sizes of the skeleton
const GROUND_LINES = 0.25; // between two lines of the ground
const SHADES = 8;
const DEPTHS = [-0.35, 0.35]; // from the lightest shade to the darkest
const HEAD_RADIUS = 0.055;
const JOINT_RADIUS = 0.012; // of figures without limbs

/** The colors of the page as it is now, light or dark. */
function readColors() {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["sky", "ground", "shadow", "outline", "alert", "text", "quiet", "panel", "line"];
  const colors = Object.fromEntries(names.map((name) => [name, color(name)]));
  colors.result = shadesOf(color("limb"), colors.sky);
  colors.example = shadesOf(color("example-limb"), colors.sky);
  return colors;
}

/** Shades of a color from near to far, each mixed with more of what lies behind it. */
function shadesOf(color, behind) {
  const [one, other] = [channelsOf(color), channelsOf(behind)];
  return Array.from({ length: SHADES }, (_, number) => {
    const share = (0.45 * number) / (SHADES - 1);
    const mixed = one.map((value, channel) => Math.round(value + share * (other[channel] - value)));
    return `rgb(${mixed.join(" ")})`;
  });
}

function channelsOf(color) {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}

/** Draw a frame of a motion. outlined: each limb has an edge, for pictures that are large. */
function drawFigure(context, width, height, camera, motion, skeleton, frame, colors, shades, outlined) {
  context.fillStyle = colors.sky;
  context.fillRect(0, 0, width, height);
  const view = camera.view(width, height);
  const [x, y] = [motion.middle[frame * 2], motion.middle[frame * 2 + 1]];
  drawGround(context, view, x, y, colors, outlined);
  const joints = motion.joints;
  const seen = new Float64Array(joints * 4);
  const below = new Float64Array(joints * 4);
  const place = [0, 0, 0, 0];
  for (let joint = 0; joint < joints; joint += 1) {
    const at = (frame * joints + joint) * 3;
    const [jointX, jointY] = [motion.positions[at] - x, motion.positions[at + 1] - y];
    view(jointX, jointY, motion.positions[at + 2], place);
    seen.set(place, joint * 4);
    view(jointX, jointY, 0, place);
    below.set(place, joint * 4);
  }
  drawShadow(context, skeleton, below, colors);
  const strokes = strokesOf(skeleton, seen, joints);
  strokes.sort((one, other) => other.depth - one.depth);
  context.lineCap = "round";
  for (const stroke of strokes) {
    const share = (stroke.depth - DEPTHS[0]) / (DEPTHS[1] - DEPTHS[0]);
    const shade = (stroke.shades ?? shades)[Math.min(SHADES - 1, Math.max(0, Math.floor(share * SHADES)))];
    context.beginPath();
    context.moveTo(stroke.from[0], stroke.from[1]);
    context.lineTo(stroke.to[0] + 0.01, stroke.to[1]);
    if (outlined) {
      context.lineWidth = stroke.width + 2;
      context.strokeStyle = colors.outline;
      context.stroke();
    }
    context.lineWidth = stroke.width;
    context.strokeStyle = shade;
    context.stroke();
  }
}

/** What is drawn of a body: its limbs and its head, or its joints where it has no limbs. */
function strokesOf(skeleton, seen, joints) {
  const at = (joint) => seen.subarray(joint * 4, joint * 4 + 4);
  const stroke = (from, to, radius) => {
    const depth = (from[3] + to[3]) / 2;
    return { from, to, depth, width: Math.max(1.2, radius * (from[2] + to[2])) };
  };
  const strokes = skeleton.limbs.map(([above, below, radius], limb) => {
    const { shades } = skeleton; // of single limbs, by their numbers
    return { ...stroke(at(above), at(below), radius), shades: shades?.get(limb) };
  });
  if (skeleton.head) {
    const [head, neck] = skeleton.head.map(at);
    const length = Math.hypot(head[0] - neck[0], head[1] - neck[1]) || 1;
    const reach = (HEAD_RADIUS * head[2]) / Math.max(length, HEAD_RADIUS * head[2]);
    const crown = head.slice();
    crown[0] += (head[0] - neck[0]) * reach;
    crown[1] += (head[1] - neck[1]) * reach;
    strokes.push(stroke(head, crown, HEAD_RADIUS));
  }
  if (!strokes.length) for (let joint = 0; joint < joints; joint += 1) strokes.push(stroke(at(joint), at(joint), JOINT_RADIUS));
  return strokes;
}

/** Lines along the ground, which stay where they are while the camera goes with the body. */
function drawGround(context, view, x, y, colors, fine) {
  const [from, to] = [[0, 0, 0, 0], [0, 0, 0, 0]];
  const between = fine ? GROUND_LINES : 2 * GROUND_LINES;
  context.beginPath();
  for (const along of [false, true]) {
    const middle = along ? x : y;
    for (let line = Math.ceil((middle - GROUND_REACH) / between); line * between < middle + GROUND_REACH; line += 1) {
      const away = line * between - middle;
      const half = Math.sqrt(Math.max(GROUND_REACH ** 2 - away ** 2, 0));
      view(along ? away : -half, along ? -half : away, 0, from);
      view(along ? away : half, along ? half : away, 0, to);
      context.moveTo(from[0], from[1]);
      context.lineTo(to[0], to[1]);
    }
  }
  context.lineWidth = 1;
  context.strokeStyle = colors.ground;
  context.stroke();
}

function drawShadow(context, skeleton, below, colors) {
  context.beginPath();
  for (const [above, under] of skeleton.limbs) {
    context.moveTo(below[above * 4], below[above * 4 + 1]);
    context.lineTo(below[under * 4], below[under * 4 + 1]);
  }
  context.lineCap = "round";
  context.lineWidth = below.length ? Math.max(2, 0.03 * below[2]) : 2;
  context.strokeStyle = colors.shadow;
  context.stroke();
}

/** Give a canvas as many pixels as it has on the screen; its size in the page's own pixels. */
function fitCanvas(canvas) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== columns || canvas.height !== rows) {
    canvas.width = columns;
    canvas.height = rows;
  }
  const context = canvas.getContext("2d", { alpha: false });
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, height };
}
