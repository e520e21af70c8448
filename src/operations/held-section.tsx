// What publishing a held answer would change: rows by dimension, before and after, and some of those that would vanish.
import type { JSX } from 'preact';
import { count, formatNumber } from '../core/numbers.ts';
import { headingOf, Scroll } from '../dashboards/result-tables.tsx';
import type { Attempt } from '../warehouse/attempts.ts';
import type { HeldChanges } from '../warehouse/held-changes.ts';
import { Section } from './parts.tsx';

export function HeldSection({ held, attempt }: Readonly<{ held: HeldChanges; attempt: Attempt }>): JSX.Element {
  return (
    <Section id="held" title="What publishing it would change">
      <ul class="problem">
        {(attempt.objections ?? []).map(({ message }) => (
          <li key={message}>
            <bdi>{message}</bdi>
          </li>
        ))}
      </ul>
      <div class="columns">
        {held.columns.map(({ what, column, values, more }) => (
          <Scroll key={column} label={`Rows by ${what}`}>
            <table class="rows">
              <caption>By {what}</caption>
              <thead>
                <tr>
                  <th scope="col">Value</th>
                  <th scope="col" class="number">
                    Before
                  </th>
                  <th scope="col" class="number">
                    After
                  </th>
                  <th scope="col" class="number">
                    Change
                  </th>
                </tr>
              </thead>
              <tbody>
                {values.map(({ value, before, after }) => (
                  <tr key={value ?? ''} class={after < before ? 'loss' : ''}>
                    <td>{value === null ? <span class="none">none</span> : <bdi>{value}</bdi>}</td>
                    <td class="number">{formatNumber(before)}</td>
                    <td class="number">{formatNumber(after)}</td>
                    <td class="number">{`${after > before ? '+' : ''}${formatNumber(after - before)}`}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            {more > 0 && <p class="note">and {count(more, 'value')} that change less</p>}
          </Scroll>
        ))}
      </div>
      <h3>Rows that would vanish, some of them</h3>
      <Vanished vanished={held.vanished} />
    </Section>
  );
}

function Vanished({ vanished }: Pick<HeldChanges, 'vanished'>): JSX.Element {
  if (vanished === undefined) return <p class="note">The answer was staged by an older release, whose row keys cannot be compared.</p>;
  const [first] = vanished;
  if (!first) return <p class="note">None: every row of the table is in the answer, too.</p>;
  // What is the same in all of them does not tell one from another.
  const columns = Object.keys(first).filter((name) => vanished.some((row) => row[name] !== (vanished.length > 1 ? first[name] : null)));
  return (
    <Scroll label="Rows that would vanish, table">
      <table class="rows">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {headingOf(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {vanished.map((row, number) => (
            <tr key={number}>
              {columns.map((name) => (
                <td key={name}>
                  <bdi>{row[name] === null ? '–' : String(row[name])}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
