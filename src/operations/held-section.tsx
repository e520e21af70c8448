// What publishing a held answer would change: rows by dimension, before and after, and some of those that would vanish.
import type { JSX } from 'preact';
import { count, formatNumber } from '../core/numbers.ts';
import { headingOf } from '../dashboards/result-table.tsx';
import type { ExecutionHistory } from '../ledger/execution-histories.ts';
import type { HeldChanges } from '../publishing/held-changes.ts';
import { Section, Table, type TableColumn } from './parts.tsx';

const CHANGES: readonly TableColumn<HeldChanges['columns'][number]['values'][number]>[] = [
  { heading: 'Value', cell: ({ value }) => value ?? <span class="none">none</span> },
  { heading: 'Before', isNumber: true, cell: ({ before }) => formatNumber(before) },
  { heading: 'After', isNumber: true, cell: ({ after }) => formatNumber(after) },
  { heading: 'Change', isNumber: true, cell: ({ before, after }) => `${after > before ? '+' : ''}${formatNumber(after - before)}` },
];

export function HeldSection({ held, execution }: Readonly<{ held: HeldChanges; execution: ExecutionHistory }>): JSX.Element {
  return (
    <Section id="held" title="Changes if it is published">
      <ul class="problem">
        {(execution.objections ?? []).map(({ message }) => (
          <li key={message}>
            <bdi>{message}</bdi>
          </li>
        ))}
      </ul>
      <div class="columns">
        {held.columns.map(({ what, column, values, more }) => (
          <Table
            key={column}
            label={`Rows by ${what}`}
            caption={`By ${what}`}
            columns={CHANGES}
            rows={values}
            rowClass={({ before, after }) => (after < before ? 'loss' : '')}
          >
            {more > 0 && <p class="note">and {count(more, 'value')} that change less</p>}
          </Table>
        ))}
      </div>
      <h3>Rows that would vanish, some of them</h3>
      <Vanished vanished={held.vanished} />
    </Section>
  );
}

function Vanished({ vanished }: Pick<HeldChanges, 'vanished'>): JSX.Element {
  const [first] = vanished;
  if (!first) return <p class="note">None: every row of the table is also in the answer.</p>;
  // What is the same in all of them does not tell one from another.
  const columns = Object.keys(first).filter((name) => vanished.some((row) => row[name] !== (vanished.length > 1 ? first[name] : null)));
  return (
    <Table
      label="Rows that would vanish, table"
      columns={columns.map((name) => ({
        heading: headingOf(name),
        cell: (row: Readonly<Record<string, unknown>>) => (row[name] === null ? '–' : String(row[name])),
      }))}
      rows={vanished}
    />
  );
}
