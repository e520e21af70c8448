// A page server as the benchmark sees it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Bench } from '../support/bench.ts';
import { adoptChild } from '../support/children.ts';
import type { Answer, CallRecord, Question, ServiceWish } from './messages.ts';

const PROGRAM = fileURLToPath(new URL('./page-server.ts', import.meta.url));

export type PageService = Readonly<{
  baseUrl: string;
  pid: number;
  /** What it has been asked until now. */
  readRecord: () => Promise<CallRecord>;
  /** From now on queries are answered as restated: 1 % of the rows differ between versions. */
  restate: (version: number) => Promise<void>;
  stop: () => Promise<void>;
}>;

/** Starts a page server; it has made the pages it should make before. */
export async function startPageService(bench: Bench, wish: ServiceWish): Promise<PageService> {
  const program = fork(PROGRAM, [JSON.stringify(wish)], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const child = adoptChild(bench, program);
  const ended = child.exited.then(() => {
    throw new Error(`the page server ended: ${child.lastWords()}`);
  });
  ended.catch(() => undefined);
  const hear = async (): Promise<Answer> => {
    const [answer] = await Promise.race([once(program, 'message'), ended]);
    return answer as Answer;
  };
  // Asked one question at a time, since answers do not name theirs.
  let last: Promise<unknown> = Promise.resolve();
  const ask = (question: Question): Promise<Answer> => {
    const answered = last.then(() => {
      program.send(question);
      return hear();
    });
    last = answered.catch(() => undefined);
    return answered;
  };

  const ready = await hear();
  if (ready.kind !== 'ready') throw new Error('the page server said something else first');
  return {
    baseUrl: `http://127.0.0.1:${ready.port}`,
    pid: child.pid,
    readRecord: async () => {
      const answer = await ask({ ask: 'record' });
      if (answer.kind !== 'record') throw new Error('the page server answered another question');
      return answer.record;
    },
    restate: async (version) => {
      await ask({ ask: 'restate', version });
    },
    stop: child.stop,
  };
}
