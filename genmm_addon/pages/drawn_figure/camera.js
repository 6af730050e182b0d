// SPDX-License-Identifier: GPL-3.0-or-later
// One camera for all figures: it follows each body, from a side and a height that are the same for all.

const DISTANCE = 4; // from the body, in sizes of the skeleton
const LOOKED_AT = 0.45; // height that stands in the middle of a picture
const RADIANS_A_PIXEL = 0.01;
const RADIANS_A_KEY = Math.PI / 16;
const HIGHEST = 1.5;
const LOWEST = -0.2;
const ZOOMS = [0.4, 4];

class Camera {
  constructor() {
    this.azimuth = -0.6;
    this.elevation = 0.22;
    this.zoom = 1;
  }

  orbit(azimuth, elevation) {
    this.azimuth += azimuth;
    this.elevation = Math.min(Math.max(this.elevation + elevation, LOWEST), HIGHEST);
  }

  nearer(factor) {
    this.zoom = Math.min(Math.max(this.zoom * factor, ZOOMS[0]), ZOOMS[1]);
  }

  /** What a key does to the view; false where it means nothing here. */
  turnByKey(key) {
    const turns = { a: [-1, 0], d: [1, 0], w: [0, 1], s: [0, -1] };
    const turn = turns[key.toLowerCase()];
    if (turn) this.orbit(turn[0] * RADIANS_A_KEY, turn[1] * RADIANS_A_KEY);
    else if (key === "+" || key === "=") this.nearer(1.15);
    else if (key === "-") this.nearer(1 / 1.15);
    else return false;
    return true;
  }

  /** A function from a place (x, y along the ground from the middle, z above it) into [x, y, pixels a size, depth]. */
  view(width, height) {
    const [sine, cosine] = [Math.sin(this.azimuth), Math.cos(this.azimuth)];
    const [rise, level] = [Math.sin(this.elevation), Math.cos(this.elevation)];
    const scale = Math.min(height * 0.66, width * 0.9) * this.zoom;
    return (x, y, z, into) => {
      const across = x * cosine + y * sine;
      const away = y * cosine - x * sine;
      const above = z - LOOKED_AT;
      const depth = away * level - above * rise;
      const size = (scale * DISTANCE) / Math.max(DISTANCE + depth, 0.1);
      into[0] = width / 2 + across * size;
      into[1] = height * 0.51 - (above * level + away * rise) * size;
      into[2] = size;
      into[3] = depth;
    };
  }
}

/** Let a pointer turn the camera. moved: is called when it has gone so far that it was not a click. */
function orbitByDrag(element, camera, changed, moved = () => {}) {
  const FAR = 5; // pixels
  let last = null;
  let traveled = 0;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    last = [event.clientX, event.clientY];
    traveled = 0;
  });
  window.addEventListener("pointermove", (event) => {
    if (!last) return;
    const [x, y] = [event.clientX - last[0], event.clientY - last[1]];
    traveled += Math.hypot(x, y);
    if (traveled < FAR) return;
    last = [event.clientX, event.clientY];
    moved();
    camera.orbit(-x * RADIANS_A_PIXEL, y * RADIANS_A_PIXEL);
    changed();
  });
  for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => { last = null; });
}
