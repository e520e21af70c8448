// Slices so large that processes of the server share the comparison, and servers without the memory for that.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { jobOf, publishedRows, useLedger } from '../../support/ledger.ts';
import { loadWindow, publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();

type Sent = Readonly<{ query: string; title: string }>;
const ROWS = 25_000;
const FIRST: readonly Sent[] = Array.from({ length: ROWS }, (_, row) => ({ query: `query ${row}`, title: 'first' }));
/** One row less, one with another value, one more. */
const SECOND: readonly Sent[] = [{ query: 'query 1', title: 'second' }, ...FIRST.slice(2), { query: 'new', title: 'second' }];
const CHANGES = { inserted: 1, updated: 1, unchanged: ROWS - 2, deleted: 1 };

let job: ReturnType<typeof jobOf>;
const wire = (rows: readonly Sent[]): unknown[][] => rows.map((row) => wireRow(job, row));

async function expectPublished(rows: readonly Sent[]): Promise<void> {
  const published = await publishedRows(ledger.pool, job, ['query', 'title']);
  expect(published).toHaveLength(rows.length);
  expect(new Set(published.map((row) => JSON.stringify(row)))).toEqual(new Set(rows.map((row) => JSON.stringify(row))));
}

/** From now on the server refuses to compare in sessions for which `condition` holds. */
async function loseRoom(condition: string, code = '53100'): Promise<void> {
  await ledger.pool.query(`
    CREATE OR REPLACE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN IF ${condition} THEN RAISE 'no room' USING ERRCODE = '${code}'; END IF; END $$;
    CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION public.refuse()`);
}
const findRoom = () => ledger.pool.query('DROP EVENT TRIGGER IF EXISTS refuse');

beforeEach(async () => {
  job = jobOf();
  await loadWindow(ledger.pool, job, wire(FIRST));
});
afterEach(findRoom);

it('is compared by several processes, and only what differs is written', async () => {
  await loseRoom("current_setting('server_version_num')::integer >= 160000 AND current_setting('max_parallel_workers_per_gather') = '0'");
  expect(await loadWindow(ledger.pool, job, wire(SECOND))).toEqual(CHANGES);
  await expectPublished(SECOND);
});

it.each(['53000', '53100', '53200'])('is compared by one Postgres process where there is no room for several (%s)', async (code) => {
  await loseRoom("current_setting('max_parallel_workers_per_gather') <> '0'", code);
  expect(await loadWindow(ledger.pool, job, wire(SECOND))).toEqual(CHANGES);
  await expectPublished(SECOND);
});

it('stays as it was until there is room, where there is none at all', async () => {
  const execution = await stageWindow(ledger.pool, job, [wire(SECOND)]);
  await loseRoom('true');
  await expect(publish(ledger.pool, job, execution)).rejects.toMatchObject({ code: 'store', retryable: true });
  await expectPublished(FIRST);
  await findRoom();
  expect(await publish(ledger.pool, job, execution)).toEqual(CHANGES);
  await expectPublished(SECOND);
});
