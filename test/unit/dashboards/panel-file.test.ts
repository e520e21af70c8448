import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { fillIn } from '../../../src/dashboards/sql-text.ts';
import { DATASETS } from '../../../src/datasets/index.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'searchmill-boards-'));
  write('variables/account.sql', 'SELECT 1 AS value, 1 AS label');
  write('variables/country.sql', "SELECT 'US' AS value, 'US' AS label");
  write('one/board.yaml', 'title: One\nquestion: What?\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const HEADER = `-- Title: Searches
-- Question: How many?
-- Chart: line
-- X: week
-- Y: searches, found
-- Series: device
-- Unit: searches
-- Note: A note
--   of two lines.
-- Computed: By counting.
-- Datasets: keyword_rankings
-- Variables: account, country, weeks = 26
-- Order: 5
`;
const SQL = `-- A comment: with a colon, and :nothing
SELECT week, device, searches, found, 'a :text; -- no comment' AS ":name"
  FROM t WHERE account_id = :account::bigint AND (:country::text[] IS NULL OR country = ANY (:country::text[]))
   AND week > now()::date - 7 * :weeks::integer`;

/** What is told of a panel file. */
function faultsOf(text: string): string[] {
  write('one/panel.sql', text);
  try {
    readBoards(folder);
  } catch (error) {
    return String((error as Error).message).split('\n').slice(1).map((line) => line.trim()); // biome-ignore format: one line
  }
  return [];
}

describe('a panel file', () => {
  it('becomes a panel, and its board gets the variables in the order of the form', () => {
    write('one/panel.sql', `${HEADER}\n${SQL};\n`);
    write('one/another.sql', '-- Title: A\n-- Question: Q\n-- Chart: table\n-- Computed: C\n-- Datasets: all\nSELECT 1 AS one\n');
    const [board] = readBoards(folder);
    expect(board).toMatchObject({ name: 'one', title: 'One', question: 'What?' });
    expect(board?.variables.map(({ name, default: given }) => [name, given])).toEqual([
      ['account', { first: true }],
      ['country', null],
      ['weeks', '26'],
    ]);
    expect(board?.panels.map((panel) => panel.name)).toEqual(['panel', 'another']);
    expect(board?.panels[0]).toEqual({
      board: 'one',
      changes: [],
      beside: undefined,
      isScale: false,
      leads: undefined,
      links: new Map(),
      whys: new Map(),
      against: undefined,
      name: 'panel',
      title: 'Searches',
      question: 'How many?',
      chart: 'line',
      x: 'week',
      y: ['searches', 'found'],
      series: 'device',
      unit: 'searches',
      note: 'A note of two lines.',
      empty: undefined,
      computed: 'By counting.',
      datasets: ['keyword_rankings'],
      variables: [
        { name: 'account', default: undefined },
        { name: 'country', default: undefined },
        { name: 'weeks', default: '26' },
      ],
      order: 5,
      sql: SQL,
    });
    expect(board?.panels[1]?.datasets).toHaveLength(DATASETS.length);
  });

  it('says which columns lead to which board, and with which variable to a board about one thing', () => {
    write('country/board.yaml', 'title: Country\nquestion: What?\nabout: country\n');
    write('country/panel.sql', `${HEADER.replace('-- Note', '-- Links: device = one, country, found = country\n-- Note')}\n${SQL}\n`);
    write('one/panel.sql', `${HEADER}\n${SQL}\n`);
    const [country] = readBoards(folder);
    expect(country?.about).toBe('country');
    expect(country?.panels[0]?.links).toEqual(
      new Map([
        ['device', { board: 'one', about: undefined }],
        ['country', { board: 'country', about: 'country' }],
        ['found', { board: 'country', about: 'country' }],
      ]),
    );
  });

  it('of a board about one thing filters by it', () => {
    write('one/board.yaml', 'title: One\nquestion: What?\nabout: device\n');
    expect(faultsOf(`${HEADER}\n${SQL}\n`)).toEqual(['one/panel.sql: Variables: device is missing, which the board is about']);
  });

  it('may have line ends of Windows', () => {
    expect(faultsOf(`${HEADER}\n${SQL}\n`.replaceAll('\n', '\r\n'))).toEqual([]);
  });

  it.each([
    [
      'an unknown key',
      HEADER.replace('Note:', 'Notes:'),
      /^one\/panel.sql:8: "Notes" is not a key of the header; they are Title, Question/,
    ],
    ['a line that is no entry', `${HEADER}-- whatever\n`, /^one\/panel.sql:14: expected "-- Key: value"/],
    ['a key that is there twice', `${HEADER}-- Order: 6\n`, /^one\/panel.sql:14: Order: is there twice/],
    ['a missing key', HEADER.replace('-- Question: How many?\n', ''), /^one\/panel.sql:1: Question: is missing/],
    ['an empty key', HEADER.replace('How many?', ''), /^one\/panel.sql:2: Question: has no value/],
    ['an unknown chart', HEADER.replace('line', 'pie'), /^one\/panel.sql:3: Chart: expected one of line, bar/],
    ['a chart without its axis', HEADER.replace('-- X: week\n', ''), /^one\/panel.sql:1: X: is missing; a line needs it/],
    ['an unknown dataset', HEADER.replace('keyword_rankings', 'rankings'), /^one\/panel.sql:11: Datasets: "rankings" is not a dataset/],
    ['an unknown variable', HEADER.replace('country', 'land'), /^one\/panel.sql:12: Variables: "land" is not a variable; they are account/],
    [
      'a default that is not allowed',
      HEADER.replace('26', '0'),
      /^one\/panel.sql:12: Variables: weeks = 0: expected a whole number from 1/,
    ],
    [
      'a link to no board',
      HEADER.replace('-- Note', '-- Links: device = two\n-- Note'),
      /^one\/panel.sql:8: Links: "device = two" leads to no board; expected a column, = and one of one$/,
    ],
    ['an order that is no number', HEADER.replace('Order: 5', 'Order: first'), /^one\/panel.sql:13: Order: expected a whole number/],
    ['a default beside another', HEADER.replace(', weeks = 26', ', weeks = 26, top_n'), /^one\/panel.sql:15: Variables: top_n is not used/],
  ])('with %s is reported with its line', (_, header, message) => {
    const faults = faultsOf(`${header}\n${SQL}`);
    expect(
      faults.find((fault) => message.test(fault)),
      faults.join('\n'),
    ).toBeDefined();
  });

  it.each([
    ['is not declared', ':acount::bigint', /panel.sql:14: SQL: :acount is not among the Variables/],
    ['has no type', ':account', /panel.sql:14: SQL: :account needs its type, such as :account::bigint/],
  ])('whose SQL has a variable that %s is reported with its line', (_, variable, message) => {
    expect(faultsOf(`${HEADER}SELECT ${variable}, :account::bigint, :country::text[], :weeks::integer`)).toEqual([
      expect.stringMatching(message),
    ]);
  });

  it.each([
    ['a second statement', 'SELECT 1; DROP TABLE x'],
    ['no SELECT', 'DELETE FROM x'],
    ['nothing', ''],
    ['a comment of another kind', 'SELECT /* :account */ 1'],
    ['text in dollars', 'SELECT $$ :account $$'],
    ['text with escapes', "SELECT e'\\' :account'"],
    ['numbered parameters', 'SELECT $1'],
  ])('whose SQL has %s is refused', (_, sql) => {
    const header = HEADER.replace('-- Variables: account, country, weeks = 26\n', '');
    expect(faultsOf(`${header}${sql}\n`)[0]).toMatch(/^one\/panel.sql:\d+: SQL: /);
  });

  it('of a board that another panel contradicts is reported', () => {
    write('one/other.sql', `${HEADER.replace('26', '52')}\n${SQL}`);
    expect(faultsOf(`${HEADER}\n${SQL}`)).toEqual(['one/panel.sql: Variables: weeks: other.sql has another default']);
  });

  it('shows all mistakes of all files at once', () => {
    write('two/board.yaml', 'titel: Two\n');
    const faults = faultsOf(HEADER.replace('line', 'pie').replace('-- Title: Searches\n', ''));
    expect(faults.length).toBeGreaterThan(4);
    expect(faults.join()).toContain('two/board.yaml: ');
    expect(faults.join()).toContain('two: has no panels');
  });
});

describe('the SQL of a panel with its values filled in', () => {
  const show = (values: Parameters<typeof fillIn>[1]): string =>
    fillIn({ sql: "SELECT ':topic', :topic::text, :top_n::integer, :country::text[] -- :topic" }, values);

  it.each([
    ['a text', 'US', "'US'"],
    ['quotes', "x' OR 'a' = 'a", "'x'' OR ''a'' = ''a'"],
    ['a backslash', "\\' --", "E'\\\\'' --'"],
    ['what nobody sees', 'a\u202eb\nc', "E'a\\U0000202eb\\U0000000ac'"],
    ['no value', null, 'NULL'],
  ])('has %s as a literal', (_, topic, literal) => {
    expect(show({ topic, top_n: '13', country: topic === null ? null : [topic, 'US'] })).toBe(
      `SELECT ':topic', ${literal}::text, 13::integer, ${topic === null ? 'NULL' : `ARRAY[${literal}, 'US']`}::text[] -- :topic;\n`,
    );
  });
});

it('the boards that come with Searchmill can be read', () => {
  expect(readBoards().map((board) => board.name)).toContain('data-health');
});
