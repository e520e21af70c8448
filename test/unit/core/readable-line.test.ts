import { expect, it } from 'vitest';
import { logFormatFor } from '../../../src/cli/terminal.ts';
import { createLogger, type LogOptions } from '../../../src/core/log.ts';
import { readableLines } from '../../../src/core/readable-line.ts';
import { Secret } from '../../../src/core/secret.ts';

const CONTEXT = {
  instance: 'host-1',
  job: 'acme-brands',
  dataset: 'ai_search_brands',
  window: '2026-11-08..2026-11-14',
  slice: '7',
  execution: '42',
};
const PUBLICATION = { inserted: 306, updated: 0, unchanged: 0, deleted: 0, rows: 306, quarantined: 0, ms: 412 };
const TIME = /^\d\d:\d\d:\d\d /;

function linesOf(format: LogOptions['format'], write: (log: ReturnType<typeof createLogger>) => void): string[] {
  let text = '';
  const destination = (bytes: Uint8Array): number => {
    text += Buffer.from(bytes).toString();
    return bytes.length;
  };
  write(createLogger({ level: 'info', format, destination }));
  return text.split('\n').slice(0, -1);
}

const plainLine = (fields: object, msg: string, level: 'info' | 'warn' = 'info'): string => {
  const [line = ''] = linesOf('plain', (log) => log.child(CONTEXT)[level](fields, msg));
  expect(line).toMatch(TIME);
  return line.replace(TIME, '');
};

it('a publication is one readable line', () => {
  expect(plainLine(PUBLICATION, 'published')).toBe('published acme-brands 2026-11-08  306 rows (+306) 0.4 s');
  const revised = { ...PUBLICATION, rows: 12_345, inserted: 1, updated: 20, unchanged: 12_324, deleted: 3, quarantined: 2 };
  expect(plainLine(revised, 'published')).toBe('published acme-brands 2026-11-08  12,345 rows (+1 ~20 -3), 2 in quarantine 0.4 s');
  expect(plainLine({ ...PUBLICATION, inserted: 0 }, 'published')).toBe('published acme-brands 2026-11-08  306 rows (unchanged) 0.4 s');
  const window = '2026-11-01..2026-11-14';
  expect(plainLine({ ...PUBLICATION, window }, 'published')).toContain(`acme-brands ${window}  306 rows`);
});

it('other events say their level where it is not info, the error and the other fields', () => {
  expect(plainLine({ remote: 'e-1', reason: 'newest' }, 'submitted')).toBe(
    'submitted acme-brands 2026-11-08  execution=42 remote=e-1 reason=newest',
  );
  expect(plainLine({ err: 'the service answered 503', nextInMs: 2000 }, 'step failed, will be retried', 'warn')).toBe(
    'warn step failed, will be retried acme-brands 2026-11-08: the service answered 503  execution=42 nextInMs=2000',
  );
  expect(plainLine({ objections: [{ rule: 'rows' }] }, 'held', 'warn')).toContain('objections=[{"rule":"rows"}]');
});

it('outside text neither breaks a line in two nor controls the terminal', () => {
  const line = readableLines(true)(
    '{"level":"warn","time":"2026-11-08T00:00:00Z","msg":"a\\n b","err":"\\u001b[2Jc\\r\\nd","x":{"y":"\\u202e"}}\n',
  );
  expect(line.match(/\n/g)).toHaveLength(1);
  expect(line).toContain('a b: \\u001b[2Jc\\u000d d  x={"y":"');
  expect(line).not.toContain('\u202e');
});

it('colours are for terminals that want them, JSON for machines, and a secret for neither', () => {
  const write = (log: ReturnType<typeof createLogger>): void => log.warn({ job: 'a', token: new Secret('hush-hush') }, 'published');
  for (const format of ['json', 'plain', 'coloured'] as const) {
    const [line = ''] = linesOf(format, write);
    expect(line).not.toContain('hush-hush');
    expect(line.includes('\u001b[33m')).toBe(format === 'coloured');
    if (format === 'json') expect(JSON.parse(line)).toMatchObject({ level: 'warn', job: 'a', msg: 'published' });
  }
});

it('a terminal gets colours unless NO_COLOR is set, and any other output gets JSON', () => {
  expect(logFormatFor({ isInteractive: true, env: {} })).toBe('coloured');
  expect(logFormatFor({ isInteractive: true, env: { NO_COLOR: '1' } })).toBe('plain');
  expect(logFormatFor({ isInteractive: false, env: {} })).toBe('json');
});
