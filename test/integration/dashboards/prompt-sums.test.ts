// Sums of tracked prompts stand in for single ones (search_reports.prompts_source), which takes measures that are linear in what is summed.
import { expect, it } from 'vitest';
import { readMeasures } from '../../../src/dashboards/measures.ts';
import { useLedger } from '../../support/ledger.ts';

const ledger = useLedger();
const PAIRS = 200;
const COUNTS =
  `answers naming citing unmet_brands own_citations citations unattributed positive neutral negative unvalued texts own_voices`.split(' ');
const LISTS = ['rival_voices', 'cited_sites', 'attributions'];

/** Small numbers from a hash, so that a failure is found again; texts are there wherever there are answers. */
const count = (name: string, row: string): string =>
  name === 'texts' ? count('answers', row) : `abs(hashint8extended(p, hashtext('${name} ${row}')) % 4)::integer`;
const list = (name: string, row: string): string => `array_fill('x'::text, ARRAY[${count(name, row)}])`;

it.each(readMeasures().filter(({ of }) => of === 'prompts'))(
  'dashboards/measures/$name.sql: part and whole of two prompts together are the sums of those of each',
  async ({ sql }) => {
    const row = (of: string): string =>
      [...COUNTS.map((name) => `${count(name, of)} AS ${name}`), ...LISTS.map((name) => `${list(name, of)} AS ${name}`)].join(', ');
    const both = [
      ...COUNTS.map((name) => `a.${name} + b.${name} AS ${name}`),
      ...LISTS.map((name) => `a.${name} || b.${name} AS ${name}`),
    ].join(', ');
    const read = (from: string): string => `(SELECT m.* FROM (SELECT ${from}) AS u CROSS JOIN LATERAL (${sql}) AS m)`;
    const { rows } = await ledger.pool.query<Record<string, unknown>>(
      `SELECT p AS pair, one.part AS one, other.part AS other, together.part AS together
         FROM generate_series(1, ${PAIRS}) AS p
        CROSS JOIN LATERAL (SELECT ${row('one')}) AS a CROSS JOIN LATERAL (SELECT ${row('other')}) AS b
        CROSS JOIN LATERAL ${read('a.*')} AS one CROSS JOIN LATERAL ${read('b.*')} AS other CROSS JOIN LATERAL ${read(both)} AS together
        WHERE together.part IS DISTINCT FROM one.part + other.part OR together.whole IS DISTINCT FROM one.whole + other.whole
           OR together.lacks IS NOT NULL`,
    );
    expect(rows).toEqual([]);
  },
);
