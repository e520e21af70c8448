// searchmill probe as it is typed, against a sandbox that spells, counts and answers otherwise: what it finds, and what it never tells.
import { afterEach, describe, expect, it } from 'vitest';
import type { FaultPlanInput } from '../../../sandbox/faults/plan.ts';
import { type CommandLineOptions, runCli } from '../../support/command-line.ts';
import { createTestStack, sandboxJobs, type TestStack } from '../../support/test-stack.ts';

const JOBS = sandboxJobs('account_id: 12345, since: 2026-10-18', {
  rankings: 'keyword_rankings, filters: { devices: [DESKTOP] }',
  brands: 'ai_search_brands',
  citations: 'ai_search_citations',
});

type Report = Readonly<{
  datasets: readonly Readonly<{
    dataset: string;
    problem: string | null;
    findings: string[];
    calls: Readonly<{ state: string; headers: object }>[];
  }>[];
  joins: readonly Readonly<{ column: string; datasets: string[]; finding: string | null; met: number }>[];
  ownBrands: Readonly<{ rows: number; met: number; isWhole: boolean; finding: string | null }> | null;
}>;

let stack: TestStack;
afterEach(() => stack.close());

async function open(faults?: FaultPlanInput, jobs = JOBS): Promise<void> {
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs, sandbox: { size: 'tiny' } });
  if (faults) stack.sandbox.setFaults(faults);
}
const probe = (args: readonly string[], options: CommandLineOptions = {}) =>
  runCli(['probe', ...args], { ...options, env: { ...stack.env, ...options.env } });
const submits = () => stack.sandbox.report().submits.length;
const BOTH = ['ai_search_brands', 'ai_search_response'];

describe('searchmill probe', () => {
  it('spends nothing where nobody can be asked and --yes is missing, and says how many submits it would spend', async () => {
    await open();
    const { code, err } = await probe(BOTH);
    expect({ code, submits: submits() }).toEqual({ code: 2, submits: 0 });
    expect(err).toContain('This spends 2 submits to');
    expect(err).toContain('confirm with --yes');
    expect((await probe(['ai_search_brand', '--yes'])).code).toBe(2);
    expect(submits()).toBe(0);
  });

  it('asks once a dataset, through the budget of the ledger, and finds in the sandbox as it is what is documented of the service', async () => {
    await open();
    const { code, out } = await probe([...BOTH, '--yes', '--json']);
    const { datasets, joins } = JSON.parse(out) as Report;
    expect({ code, submits: submits() }).toEqual({ code: 0, submits: 2 });
    expect(datasets.map(({ problem, findings }) => ({ problem, findings }))).toEqual([
      // Filters are written `You`, answers have been seen with `you`.
      { problem: null, findings: ['brand_or_product_attribution: you in another case than known'] },
      { problem: null, findings: [] },
    ]);
    expect(joins.filter(({ finding }) => finding !== null)).toEqual([]);
    expect(datasets[0]?.calls.map(({ state }) => state)).toContain('COMPLETED');
    const granted = "SELECT count(*)::integer AS n FROM searchmill.call_slots WHERE kind = 'submit' AND granted_at > '-infinity'";
    expect(await stack.read(granted)).toEqual([{ n: 2 }]);
    // The probe stores nothing.
    expect(await stack.read('SELECT FROM searchmill.executions')).toEqual([]);
  });

  it('tries the filters of all jobs of a dataset, says beforehand which, and finds one that makes no difference to the second job', async () => {
    // Nearly all rows of the first job are what it asks for, whatever the service does.
    const jobs = sandboxJobs('account_id: 12345, since: 2026-10-18', {
      wide: 'keyword_rankings, filters: { devices: [DESKTOP, SMARTPHONE, TABLET], countries: [US] }',
      narrow: 'keyword_rankings, filters: { devices: [DESKTOP], countries: [DE] }',
    });
    await open({ rules: [{ on: { operation: 'keyword_rankings' }, fault: { kind: 'ignored_filter', field: 'devices' } }] }, jobs);
    const refused = await probe(['keyword_rankings']);
    expect(refused.err).toContain(
      'asks, in this order:\n   1  keyword_rankings as wide\n   2  keyword_rankings as narrow\nThis spends 2 submits',
    );
    const { code, out, err } = await probe(['keyword_rankings', '--yes']);
    expect({ code, submits: submits() }).toEqual({ code: 0, submits: 2 });
    expect(err).toContain('asked keyword_rankings as narrow');
    expect(out).toMatch(/! devices makes no difference: \d+ of \d+ rows have other values than it asks for/);
    expect(out).not.toContain('countries makes no difference');
    expect(out).not.toContain('narrow');
    const { datasets } = JSON.parse((await probe(['keyword_rankings', '--yes', '--json'])).out) as Report;
    expect(datasets).toHaveLength(1);
    expect(datasets[0]?.findings.join()).toContain('devices makes no difference');
  });

  it('finds other spellings, cases, columns, types, counts and states', async () => {
    const on = (operation: string) => ({ on: { operation } }) as const;
    await open({
      rules: [
        { ...on('ai_search_response'), fault: { kind: 'odd_value', value: 'other_spelling', column: 'ai_search_engine', share: 1 } },
        { ...on('ai_search_brands'), fault: { kind: 'odd_value', value: 'upper_case', column: 'brand_or_product_attribution', share: 1 } },
        { ...on('ai_search_brands'), fault: { kind: 'drift', change: 'new_column' } },
        { ...on('ai_search_response'), fault: { kind: 'row_count', count: 'absent' } },
        { ...on('ai_search_response'), fault: 'lower_case' },
      ],
    });
    const { datasets, joins } = JSON.parse((await probe([...BOTH, '--yes', '--json'])).out) as Report;
    const found = Object.fromEntries(datasets.map(({ dataset, findings }) => [dataset, findings.join('\n')]));
    expect(found.ai_search_brands).toContain('unknown columns: added_by_service');
    expect(found.ai_search_brands).toContain('brand_or_product_attribution: PARTNER, YOU in another case than known');
    expect(found.ai_search_response).toContain('it does not say how many rows there are');
    expect(found.ai_search_response).toContain('state completed');
    const engines = joins.find(({ column }) => column === 'ai_search_engine');
    expect(engines?.finding).toContain('spelled differently in ai_search_brands: ');
    expect(engines?.finding).toContain('chatgptsearch / chatgpt');
  });

  it('prints which share of the rows of own brands finds an answer, and why the rest do not', async () => {
    await open();
    const whole = JSON.parse((await probe([...BOTH, '--yes', '--json'])).out) as Report;
    const rows = whole.ownBrands?.rows ?? 0;
    expect(rows).toBeGreaterThan(10);
    expect(whole.ownBrands).toMatchObject({ met: rows, isWhole: true, finding: null });
    expect((await probe([...BOTH, '--yes'])).out).toContain(`ok own brands: ${rows} of ${rows} rows find an answer\n`);
    stack.sandbox.setFaults({
      rules: [
        {
          on: { operation: 'ai_search_response' },
          fault: { kind: 'odd_value', value: 'other_spelling', column: 'ai_search_engine', share: 1 },
        },
      ],
    });
    const { ownBrands } = JSON.parse((await probe([...BOTH, '--yes', '--json'])).out) as Report;
    const finding = `own brands: ${ownBrands?.met} of ${rows} rows find an answer; ${rows} would but for ai_search_engine`;
    expect(ownBrands).toMatchObject({ rows, finding });
    expect(ownBrands?.met).toBeLessThan(rows / 2);
    expect((await probe([...BOTH, '--yes'])).out).toContain(`! ${finding}`);
    expect((await probe(['ai_search_brands', '--yes'])).out).not.toContain('own brands:');
  });

  it('says why a dataset could not be read, and goes on with the others', async () => {
    await open({
      rules: [{ on: { operation: 'ai_search_brands', call: 'submit' }, fault: { kind: 'too_many', retry_after: 1 }, when: { times: 1 } }],
    });
    const { code, out, err } = await probe([...BOTH, '--yes', '--json']);
    const { datasets } = JSON.parse(out) as Report;
    expect(code).toBe(1);
    expect(datasets.map(({ problem }) => problem)).toEqual(['rate_limited', null]);
    expect(datasets[0]?.calls[0]?.headers).toMatchObject({ 'retry-after': '1' });
    expect(err).toContain('ai_search_brands: ');
  });

  it('prints no value that names a customer, a prompt, a search or an address', async () => {
    await open();
    const names = ['keyword_rankings', 'ai_search_citations', ...BOTH];
    const asText = await probe([...names, '--yes']);
    const asJson = await probe([...names, '--yes', '--json']);
    expect([asText.code, asJson.code]).toEqual([0, 0]);
    // What the service answered, loaded for comparison.
    const loaded = await stack.start();
    await loaded.planNow();
    await stack.settle();
    await loaded.stop();
    const owner =
      '(account_name), (organization_name), (organization_id), (web_property_name), (account_id::text), (web_property_id::text)';
    const secret: { value: string }[] = [];
    for (const [table, columns] of [
      ['keyword_rankings', '(query), (title), (normalized_url), (root_domain)'],
      ['ai_search_brands', '(prompt), (topic), (persona), (brand_or_product_name)'],
      ['ai_search_citations', '(citation_url), (citation_domain), (citation_title)'],
    ] as const)
      secret.push(
        ...(await stack.read<{ value: string }>(
          `SELECT DISTINCT value FROM search.${table} CROSS JOIN LATERAL (VALUES ${owner}, ${columns}) AS told (value) WHERE length(value) > 4`,
        )),
      );
    expect(secret.length).toBeGreaterThan(20);
    for (const { value } of secret) for (const told of [asText.out, asJson.out]) expect(told).not.toContain(value);
  });
});
