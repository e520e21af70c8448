import { expect, test } from 'vitest';
import { type CallOutcome, Journal } from '../../../../sandbox/faults/journal.ts';

const outcome = (number: number, changes: Partial<CallOutcome> = {}): CallOutcome => ({
  at: new Date(number).toISOString(),
  operation: 'ai_search_brands',
  call: 'poll',
  credential: 'token 1',
  executionId: `id ${number}`,
  status: 200,
  faults: [],
  ...changes,
});

test('it keeps the last two thousand calls, and counts them all', () => {
  const journal = new Journal();
  for (let number = 1; number <= 2_500; number++) journal.note(outcome(number, { faults: ['slow'] }));
  const { log, injected } = journal.report();
  expect([log.length, log[0]?.executionId, log.at(-1)?.executionId]).toEqual([2_000, 'id 501', 'id 2500']);
  expect(injected).toEqual({ slow: { submit: 0, poll: 2_500, page: 0 } });
});

test('it keeps the faults of the last ten thousand executions that met any', () => {
  const journal = new Journal();
  for (let number = 1; number <= 10_001; number++) {
    journal.noteExecution(`id ${number}`, ['slow', 'slow', 'drift']);
    journal.noteExecution(`well ${number}`, []);
  }
  const { executions } = journal.report();
  expect(Object.keys(executions)).toHaveLength(10_000);
  expect(executions).not.toHaveProperty('id 1');
  expect(executions['id 10001']).toEqual(['slow', 'drift']);
});

test('calls that were refused before they were read are logged, and no fault counts them', () => {
  const journal = new Journal();
  journal.note(outcome(1, { call: null, credential: null, executionId: null, status: 401 }));
  expect(journal.report()).toMatchObject({ injected: {}, log: [{ call: null, status: 401 }] });
});
