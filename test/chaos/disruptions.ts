// What happens to a run: each disruption does its harm and, where it lasts, says how it ends.

import { refuseWith } from '../support/connect-proxy.ts';
import { between, pick } from './chance.ts';
import { disturb } from './disturb.ts';
import { REDIS_DISRUPTIONS } from './redis-disruptions.ts';
import type { Disruption, Stage } from './stage.ts';

/** Name of the disruption in which a process does not answer, and keeps its connections, for longer than its lease. */
export const LONG_PAUSE = 'a worker paused for longer than its lease';

const REFUSALS = ['407 Proxy Authentication Required', '403 Forbidden', '502 Bad Gateway', '504 Gateway Timeout'] as const;

/** One after the other. */
function restartSchedulers({ random, posts, later }: Stage): void {
  for (const post of posts.filter(({ role }) => role === 'scheduler')) {
    later(between(random, 0, 3_000), () => {
      post.kill();
      post.start();
    });
  }
}

const DISRUPTIONS: readonly Disruption[] = [
  {
    name: 'kill -9 of a process',
    weight: 12,
    isKill: true,
    strike({ random, posts, later }) {
      const post = pick(random, posts);
      post.kill();
      later(between(random, 0, 3_000), () => post.start());
    },
  },
  {
    name: 'kill -9 of all processes',
    weight: 2,
    isKill: true,
    strike({ random, posts, later }) {
      for (const post of posts) {
        post.kill();
        later(between(random, 0, 3_000), () => post.start());
      }
    },
  },
  {
    name: LONG_PAUSE,
    weight: 2,
    strike({ random, posts, later }) {
      const post = pick(random, posts);
      post.pause();
      later(between(random, 1_000, 30_000), () => post.resume());
    },
  },
  { name: 'Postgres connections cut', weight: 3, strike: ({ proxies }) => proxies.postgres.cut() },
  { name: 'Postgres out of reach', weight: 2, strike: disturb('postgres', 'refuse', 500, 5_000) },
  { name: 'Postgres behind a half-dead network', weight: 1, strike: disturb('postgres', 'swallow', 1_000, 8_000) },
  { name: 'Postgres connections stranded', weight: 1, strike: disturb('postgres', 'strand', 10_000, 60_000) },
  {
    name: 'Postgres read-only',
    weight: 2,
    async strike({ random, postgres, later }) {
      await postgres.setReadOnly(true);
      later(between(random, 1_000, 5_000), () => postgres.setReadOnly(false));
    },
  },
  {
    // In the middle of loads. The processes are started anew one after the other, as by a rolling restart.
    name: 'the login at Postgres replaced',
    weight: 4,
    needsLogins: true,
    async strike({ random, posts, logins, later }) {
      const last = await logins?.replace();
      for (const post of posts) {
        later(between(random, 0, 3_000), () => {
          post.kill();
          post.start();
        });
      }
      if (last !== undefined) later(4_000, () => logins?.drop(last));
    },
  },
  { name: 'Postgres restarted', weight: 1, strike: ({ postgres }) => postgres.restart('fast') },
  { name: 'Postgres crashed', weight: 1, strike: ({ postgres }) => postgres.restart('crash') },
  { name: 'Postgres node crashed', weight: 10, needsNodes: true, strike: ({ postgres }) => postgres.crashNode?.() },
  { name: 'connections to the service cut', weight: 3, strike: ({ proxies }) => proxies.service.cut() },
  { name: 'the service out of reach', weight: 2, strike: disturb('service', 'refuse', 500, 4_000) },
  { name: 'tunnels of the proxy cut', weight: 2, strike: ({ proxies }) => proxies.company.cut() },
  {
    name: 'the proxy killed',
    weight: 2,
    async strike({ random, proxies, later }) {
      await proxies.company.stop();
      later(between(random, 500, 6_000), () => proxies.company.start());
    },
  },
  {
    name: 'the proxy refuses',
    weight: 2,
    strike({ random, proxies, later }) {
      proxies.company.answer = refuseWith(pick(random, REFUSALS));
      later(between(random, 500, 6_000), () => {
        proxies.company.answer = undefined;
      });
    },
  },
  {
    // Connections that hung are cut when the proxy works again, as by a restart.
    name: 'the proxy hangs',
    weight: 1,
    strike({ random, proxies, later }) {
      proxies.company.answer = () => undefined;
      later(between(random, 1_000, 12_000), () => {
        proxies.company.answer = undefined;
        proxies.company.cut();
      });
    },
  },
  {
    // Schedulers restart one after the other: for a moment both questions are asked.
    name: 'the filters of a job changed, and the schedulers started anew',
    weight: 5,
    needsDeciding: true,
    strike(stage) {
      stage.deciding?.changeQuestion();
      restartSchedulers(stage);
    },
  },
  {
    // For a moment one scheduler knows the jobs by their old names, and the other by the new ones.
    name: 'jobs exchanged names, and the schedulers started anew',
    weight: 5,
    needsNames: true,
    strike(stage) {
      stage.passNamesRound?.();
      restartSchedulers(stage);
    },
  },
  { name: 'a decision of the operator', weight: 5, needsDeciding: true, strike: async ({ deciding }) => deciding?.decide() },
  {
    name: 'a trigger that skips rows',
    weight: 3,
    needsHands: true,
    async strike({ random, hands, later }) {
      const lastsMs = between(random, 2_000, 10_000);
      await hands?.skipRows(random);
      later(lastsMs, () => hands?.skipNoRows());
    },
  },
  { name: 'rows deleted by hand', weight: 3, needsHands: true, strike: async ({ random, hands }) => hands?.deleteRows(random) },
  ...REDIS_DISRUPTIONS,
];

/** One of the disruptions that can happen on this stage, by weight. */
export function chooseDisruption(stage: Stage): Disruption {
  const possible = DISRUPTIONS.filter(
    ({ needsRedis, needs, needsNodes, needsDeciding, needsLogins, needsHands, needsNames }) =>
      (!needsRedis || stage.redis !== undefined) &&
      (!needs || stage.redis?.[needs]) &&
      (!needsNodes || stage.postgres.crashNode) &&
      (!needsDeciding || stage.deciding !== undefined) &&
      (!needsLogins || stage.logins !== undefined) &&
      (!needsHands || stage.hands !== undefined) &&
      (!needsNames || stage.passNamesRound !== undefined),
  );
  let left = stage.random() * possible.reduce((sum, { weight }) => sum + weight, 0);
  for (const disruption of possible) {
    left -= disruption.weight;
    if (left < 0) return disruption;
  }
  return pick(stage.random, possible);
}
