// SPDX-License-Identifier: GPL-3.0-or-later
// Motions, from text to positions; genmm_addon/pages/encoding.py says how they are written.

const SMOOTHED_SECONDS = 0.8; // over which the camera follows a body

/** Positions of a figure: a Float32Array of frames x joints x 3 in sizes of the skeleton, and the way of its middle. */
async function decodeMotion(text, values, jointCount) {
  const planes = await inflate(text);
  const frames = values.frames;
  const count = frames * jointCount * 3;
  const positions = new Float32Array(count);
  for (let column = 0; column < jointCount * 3; column += 1) {
    let speed = 0;
    let steps = 0;
    for (let frame = 0; frame < frames; frame += 1) {
      const at = column * frames + frame;
      const zigzag =
        planes[at] + 256 * planes[count + at] + 65536 * planes[2 * count + at] + 16777216 * planes[3 * count + at];
      speed += zigzag % 2 === 1 ? -(zigzag + 1) / 2 : zigzag / 2;
      steps += speed;
      positions[frame * jointCount * 3 + column] = steps * values.step;
    }
  }
  return { frames, rate: values.rate, joints: jointCount, positions, middle: middleOf(positions, frames, jointCount, values.rate) };
}

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Where the body is on the ground, x and y of each frame, smoothed so that the camera does not sway. */
function middleOf(positions, frames, jointCount, rate) {
  const sums = new Float64Array((frames + 1) * 2);
  for (let frame = 0; frame < frames; frame += 1) {
    for (let axis = 0; axis < 2; axis += 1) {
      let sum = 0;
      for (let joint = 0; joint < jointCount; joint += 1) sum += positions[(frame * jointCount + joint) * 3 + axis];
      sums[(frame + 1) * 2 + axis] = sums[frame * 2 + axis] + sum / Math.max(jointCount, 1);
    }
  }
  const reach = Math.round((SMOOTHED_SECONDS * rate) / 2);
  const middle = new Float32Array(frames * 2);
  for (let frame = 0; frame < frames; frame += 1) {
    // As far to one side as to the other, so that the first and the last frame are in the middle too.
    const half = Math.min(reach, frame, frames - 1 - frame);
    for (let axis = 0; axis < 2; axis += 1) {
      const sum = sums[(frame + half + 1) * 2 + axis] - sums[(frame - half) * 2 + axis];
      middle[frame * 2 + axis] = sum / (2 * half + 1);
    }
  }
  return middle;
}
