import { expect, it } from 'vitest';
import { MINUTE } from '../../../src/core/clock.ts';
import { type RoundDeclaration, Rounds } from '../../../src/core/rounds.ts';

type Name = 'sign' | 'plan' | 'sweep' | 'late';
type Role = 'planner' | 'worker';

/** Rounds of a process of a role, and what they did, in order. `late` never ends. */
function roundsOf(role: Role, failing: readonly Name[] = []) {
  const done: string[] = [];
  const declare = (name: Name, roles: readonly Role[], own: Partial<RoundDeclaration<Name, Role>> = {}) => ({
    name,
    everyMs: MINUTE,
    roles,
    failed: `${name} failed`,
    run: async () => {
      await Promise.resolve();
      if (failing.includes(name)) throw new Error('away');
      done.push(name);
    },
    ...own,
  });
  const declared: RoundDeclaration<Name, Role>[] = [
    declare('late', ['planner'], { isInBackground: true, run: () => new Promise(() => undefined) }),
    declare('sign', ['planner', 'worker'], { isConfigured: true }),
    declare('plan', ['planner'], { isConfigured: true }),
    declare('sweep', ['planner', 'worker']),
  ];
  const rounds = new Rounds(role, declared, ({ failed }, error) => done.push(`${failed}: ${(error as Error).message}`));
  return { rounds, done };
}

it('a process does the rounds of its role, in their order, and waits for none in the background', async () => {
  const { rounds, done } = roundsOf('planner');
  await rounds.start();
  expect(done).toEqual(['sign', 'plan', 'sweep']);
  expect(Object.keys(rounds.standings)).toEqual(['late', 'sign', 'plan', 'sweep']);
  const worker = roundsOf('worker');
  await worker.rounds.start();
  expect(worker.done).toEqual(['sign', 'sweep']);
  expect(worker.rounds.standings).not.toHaveProperty('plan');
  await worker.rounds.stop();
});

it('another configuration repeats the rounds that depend on it, and no others', async () => {
  const { rounds, done } = roundsOf('worker');
  await rounds.start();
  await rounds.configure();
  expect(done).toEqual(['sign', 'sweep', 'sign']);
  await rounds.stop();
  await rounds.configure();
  expect(done).toHaveLength(3);
});

it('a round that fails is reported under its name, and keeps no other from its turn', async () => {
  const { rounds, done } = roundsOf('worker', ['sign']);
  await rounds.start();
  expect(done).toEqual(['sign failed: away', 'sweep']);
  expect(rounds.standings).toMatchObject({ sign: { failure: 'away' }, sweep: { failure: undefined } });
  expect(rounds.failing).toMatchObject([{ name: 'sign', failure: 'away', since: expect.any(Date) }]);
  await rounds.stop();
});
