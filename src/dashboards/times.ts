// Times as pages show them.

/** `2026-11-28 11:19 UTC` */
export function showTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
