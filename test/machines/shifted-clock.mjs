// Preloaded (--import) into a process whose machine's clock is wrong: Date is CLOCK_SHIFT_MS ahead. With CLOCK_SHIFT_FILE the milliseconds are those
// in the file, read again at each SIGUSR2. The monotonic clock, and so every timer, stays right, as on a machine whose time was set wrongly.
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK_SHIFT_FILE;
const read = () => Number(file ? readFileSync(file, 'utf8') : (process.env.CLOCK_SHIFT_MS ?? 0));
let shiftMs = read();
if (file) {
  process.on('SIGUSR2', () => {
    shiftMs = read();
    process.stderr.write(`the clock is ${shiftMs} ms ahead\n`);
  });
}
if (shiftMs !== 0 || file) {
  const RightDate = Date;
  const now = () => RightDate.now() + shiftMs;
  class ShiftedDate extends RightDate {
    constructor(...parts) {
      if (parts.length === 0) super(now());
      else super(...parts);
    }
    static now = now;
  }
  globalThis.Date = new Proxy(ShiftedDate, { apply: () => new ShiftedDate().toString() });
  const timeOrigin = performance.timeOrigin;
  Object.defineProperty(performance, 'timeOrigin', { get: () => timeOrigin + shiftMs, configurable: true });
}
