// searchmill export writes the points of charts: what the files say is what search_reports.points says, gaps included.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, expect, it } from 'vitest';
import { type Exported, type ExportOptions, exportTables } from '../../../src/export/export-tables.ts';
import { useBoards } from '../../support/boards.ts';
import { runCli } from '../../support/command-line.ts';

const ACCOUNT = '12345';
const loaded = useBoards('since: 2026-11-01, weeks_per_query: 1', ['ai_search_response', 'ai_search_brands']);
const folder = mkdtempSync(join(tmpdir(), 'searchmill-points-'));
afterAll(() => rmSync(folder, { recursive: true }));

const exportTo = (own: Partial<ExportOptions> = {}): Promise<Exported> =>
  exportTables({
    pool: loaded.stack.pool,
    folder,
    format: 'parquet',
    account: ACCOUNT,
    hasPoints: true,
    since: undefined,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...own,
  });

const readPoints = async (path: string): Promise<Record<string, unknown>[]> =>
  (await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, path)) })).map(({ week, line, value, low, reason }) => ({
    week: (week as Date).toISOString().slice(0, 10),
    line,
    value: value ?? null,
    low: low ?? null,
    reason: reason ?? null,
  }));

it('writes a file for each chart, anew each time, and leaves no file of a chart that has none any more', async () => {
  const { pool } = loaded.stack;
  const stopping = new AbortController();
  const stop = ({ charts }: { charts: number }): void => void (charts > 0 && stopping.abort());
  await expect(exportTo({ signal: stopping.signal, onProgress: stop })).rejects.toThrow('stopped');
  const first = await exportTo();
  expect(first.charts).toBe(first.manifest.points.length);
  const charts = first.manifest.points.map(({ measure, groupedBy }) => `${measure} ${groupedBy}`);
  expect(charts).toContain('mention_rate assistant');
  for (const { measure, groupedBy, file } of first.manifest.points.filter((chart) => chart.measure === 'mention_rate')) {
    const { rows } = await pool.query(
      `SELECT week::text, line, value, low, reason FROM search_reports.points
        WHERE account_id = $1 AND measure = $2 AND grouped_by = $3 ORDER BY points.week, line`,
      [ACCOUNT, measure, groupedBy],
    );
    expect(await readPoints(file.path), groupedBy).toEqual(rows);
    expect({ rows: file.rows, bytes: file.bytes }).toEqual({ rows: rows.length, bytes: statSync(join(folder, file.path)).size });
  }
  expect(first.manifest.columns.points).toContainEqual({ name: 'value', type: 'double precision' });
  // A chart that is no more.
  const gone = {
    account: ACCOUNT,
    measure: 'gone',
    groupedBy: 'all',
    file: { path: 'points/gone.parquet', rows: 1, bytes: 1, sha256: '' },
  };
  const { readManifest, writeManifest } = await import('../../../src/export/manifest.ts');
  const manifest = readManifest(folder);
  if (!manifest) throw new Error('there is no manifest');
  await writeManifest(folder, folder, { ...manifest, points: [...manifest.points, gone] });
  const again = await exportTo();
  expect(again.manifest.points.map(({ file }) => file.sha256)).toEqual(first.manifest.points.map(({ file }) => file.sha256));
  expect(await exportTo({ hasPoints: false })).toMatchObject({ charts: 0, manifest: { points: again.manifest.points } });
});

it('writes them as CSV by the command, unless told not to', async () => {
  const to = join(folder, 'csv');
  const args = ['export', '--format', 'csv', '--to', to, '--account', ACCOUNT];
  const env = { DATABASE_URL: loaded.stack.databaseUrl };
  expect((await runCli([...args, '--no-points'], { env })).out).not.toContain('chart');
  const { code, out } = await runCli(args, { env });
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^No week has changed, \d+ charts with [\d,]+ points, /) as string });
  const text = readFileSync(join(to, `points/account=${ACCOUNT}/measure=mention_rate/grouped_by=all/rows.csv`), 'utf8');
  expect(text.split('\r\n')[0]).toMatch(/^measure,title,unit,better,account_id,/);
  expect(text).toContain('\r\nmention_rate,');
});
