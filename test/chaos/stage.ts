// What disruptions act on: processes, servers, the way between them, people; and what a disruption is.
import type { ConnectProxy } from '../support/connect-proxy.ts';
import type { Post } from './crew.ts';
import type { Hands } from './hands.ts';
import type { Logins } from './logins.ts';
import type { ChaosRedis } from './redis-kinds.ts';
import type { ChaosPostgres } from './servers.ts';
import type { TcpProxies, TcpProxy } from './tcp-proxy.ts';

/** Disruptions of runs whose jobs change their questions. */
export type Deciding = Readonly<{
  /** Another question of some job is in the jobs file from now on. */
  changeQuestion(): void;
  /** An operator decides about some week that is held. */
  decide(): Promise<void>;
}>;

export type Stage = Readonly<{
  random: () => number;
  posts: readonly Post[];
  postgres: ChaosPostgres;
  redis: ChaosRedis | undefined;
  deciding: Deciding | undefined;
  /** Undefined where nodes would have to be told of each login. */
  logins: Logins | undefined;
  /** What people do to the tables; undefined where held weeks need an operator anyway. */
  hands: Hands | undefined;
  proxies: Readonly<{ postgres: TcpProxy; redis: Omit<TcpProxies, 'portFor'> | undefined; service: TcpProxy; company: ConnectProxy }>;
  /** Jobs exchange their names in the jobs file from now on; only where their questions stay the same. */
  passNamesRound: (() => void) | undefined;
  /** Does something later, unless the run is over by then; then it is done at once. */
  later(ms: number, work: () => void | Promise<void>): void;
}>;

export type Disruption = Readonly<{
  name: string;
  weight: number;
  isKill?: boolean;
  needsRedis?: boolean;
  /** What only some kinds of Redis can do. */
  needs?: 'failOver' | 'moveSlot';
  needsNodes?: boolean;
  needsDeciding?: boolean;
  needsLogins?: boolean;
  needsHands?: boolean;
  needsNames?: boolean;
  strike(stage: Stage): void | Promise<void>;
}>;
