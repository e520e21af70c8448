// Preloaded (--import) into a process whose machine's clock is wrong: Date is CLOCK_SHIFT_MS ahead. The monotonic clock, and so every timer, stays
// right, as on a machine whose time was set wrongly.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
if (shiftMs !== 0) {
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
  const timeOrigin = performance.timeOrigin + shiftMs;
  Object.defineProperty(performance, 'timeOrigin', { value: timeOrigin, configurable: true });
}
