// Preloaded into a writer: its clock is off by up to a day, and steps back or forth every few milliseconds.
const dayMs = 24 * 60 * 60 * 1000;
const stepMs = 10;
const real = Date;
const begun = performance.now();

/** Off by another amount in each writer and each step, and never the same way twice. */
function offset() {
  const step = Math.floor((performance.now() - begun) / stepMs);
  return Math.round(Math.sin(process.pid * 31 + step * 17) * dayMs);
}

globalThis.Date = class extends real {
  constructor(...given) {
    if (given.length === 0) super(real.now() + offset());
    else super(...given);
  }

  static now() {
    return real.now() + offset();
  }
};
