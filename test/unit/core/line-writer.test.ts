import { describe, expect, it } from 'vitest';
import { LineWriter } from '../../../src/core/line-writer.ts';
import { createLogger } from '../../../src/core/log.ts';

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[\\d\\d?m`, 'g');

/** A place with room for so many bytes, which then fails as told. */
function openPlace(room = Number.POSITIVE_INFINITY) {
  const place = {
    room,
    code: 'ENOSPC',
    tries: 0,
    text: '',
    write(bytes: Uint8Array): number {
      place.tries += 1;
      if (place.room === 0) throw Object.assign(new Error('no room'), { code: place.code });
      const taken = bytes.subarray(0, place.room);
      place.room -= taken.length;
      place.text += Buffer.from(taken).toString();
      return taken.length;
    },
  };
  return place;
}

describe('a writer of log lines', () => {
  it('counts the lines that find no room, and says so when there is room again', () => {
    const place = openPlace(0);
    let lost = 0;
    const writer = new LineWriter((bytes) => place.write(bytes), { onLost: () => (lost += 1) });
    for (const line of ['a\n', 'b\n', 'c\n']) writer.write(line);
    expect(lost).toBe(3);
    place.room = Number.POSITIVE_INFINITY;
    writer.write('d\n');
    writer.write('e\n');
    const [notice = '', ...rest] = place.text.split('\n');
    expect(JSON.parse(notice)).toMatchObject({
      level: 'warn',
      lost: 3,
      msg: expect.stringMatching(/^3 log lines were lost since .*ENOSPC/),
    });
    expect(rest).toEqual(['d', 'e', '']);
  });

  it('ends a line that was begun before it writes another, and does not count it as lost', () => {
    const place = openPlace(4);
    let lost = 0;
    const writer = new LineWriter((bytes) => place.write(bytes), { onLost: () => (lost += 1) });
    writer.write('beginning\n');
    writer.write('second\n');
    expect([place.text, lost]).toEqual(['begi', 1]);
    place.room = Number.POSITIVE_INFINITY;
    writer.write('third\n');
    expect(place.text).toMatch(/^beginning\n\{.*"1 log lines? .*\}\nthird\n$/);
  });

  it('waits a moment, once, for a reader that takes nothing', () => {
    const place = openPlace(0);
    place.code = 'EAGAIN';
    const writer = new LineWriter((bytes) => place.write(bytes));
    writer.write('a\n');
    const patient = place.tries;
    expect(patient).toBeGreaterThan(1);
    for (let line = 0; line < 5; line += 1) writer.write('b\n');
    expect(place.tries).toBe(patient + 5);
  });

  it('writes logs without control sequences, in each format', () => {
    const place = openPlace();
    for (const format of ['json', 'plain', 'coloured'] as const) {
      place.text = '';
      const log = createLogger({ level: 'info', format, destination: (bytes) => place.write(bytes) });
      log.warn({ err: 'x\u001b]0;owned\u0007y', deep: { name: '\u009b2J\u202e\u001b[8m' } }, 'odd \u001b]0;name\u0007');
      expect(place.text.replaceAll(COLOUR, '')).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
      expect(place.text).not.toContain('\u001b[8m');
      expect(place.text).toContain('owned');
    }
  });
});
