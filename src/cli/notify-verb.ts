// searchmill notify: tests whether targets accept messages, and lists messages with their state.
import { randomUUID } from 'node:crypto';
import type { NotifyTarget } from '../config/notify.ts';
import { ConfigurationError } from '../core/errors.ts';
import { listMessages } from '../ledger/notifications.ts';
import { type DeliveryOptions, deliver } from '../notify/deliver.ts';
import { parseCount } from './arguments.ts';
import { formatTable } from './table.ts';
import { EXIT, type GlobalOptions, printJson, readConfig, readEnvironment, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

type TestOptions = GlobalOptions & Readonly<{ test?: boolean; json?: boolean }>;
type ListOptions = Readonly<{ limit: number; json?: boolean }>;

const TEST_TEXT = 'A test of Searchmill: problems will be reported here.';

export function notifyVerb(terminal: Terminal, setExitCode: (code: number) => void): Verb {
  const list = new Verb('list')
    .description('show the newest messages and their state')
    .option('--limit <messages>', 'maximum number of messages, newest first', parseCount, 50)
    .option('--json', 'as JSON')
    .more('Example:\n  searchmill notify list --limit 10')
    .action((_: ListOptions, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        const options = command.optsWithGlobals<ListOptions>();
        const messages = await listMessages(pool, options.limit);
        if (options.json) return printJson(terminal, messages);
        if (messages.length === 0) return terminal.print('There are no messages yet.');
        const rows = messages.map(({ id, target, type, body, createdAt, attempts, answer, state }) => {
          const { kind, count } = (body as { data?: { kind?: string; count?: number } }).data ?? {};
          const about = kind === undefined ? type : `${type}, ${kind}${count === 1 ? '' : ` (${count})`}`;
          return [id, createdAt.toISOString().slice(0, 19).replace('T', ' '), target, about, state, attempts, answer];
        });
        terminal.print(formatTable(['id', 'written (UTC)', 'target', 'message', 'state', 'attempts', 'last answer'], rows));
      }),
    );

  const verb = new Verb('notify')
    .description('notifications: --test sends one to every target, list shows those written')
    .option('--test', 'send a test message to every target now, and show each answer')
    .option('--json', 'as JSON')
    .more(`Targets are in jobs.config.yaml under notify; running processes send them
problems.

Examples:
  searchmill notify --test
  searchmill notify list`)
    .action(async (_: unknown, command: Verb) => {
      const options = command.optsWithGlobals<TestOptions>();
      if (!options.test) return command.help({ error: true });
      const environment = readEnvironment(terminal, options);
      const { notify } = readConfig(terminal, environment);
      if (notify.targets.length === 0) {
        throw new ConfigurationError(
          'jobs.config.yaml: notify: has no targets, so problems are not reported to anyone; see docs/configuration.md',
        );
      }
      const answers = await Promise.all(
        notify.targets.map((target) => sendTest(target, { proxies: environment, signal: terminal.stopping })),
      );
      if (answers.some(({ isDelivered }) => !isDelivered)) setExitCode(EXIT.someFailed);
      if (options.json) return printJson(terminal, { targets: answers });
      terminal.print(
        formatTable(
          ['target', 'delivered', 'answer'],
          answers.map(({ target, isDelivered, answer }) => [target, isDelivered ? 'yes' : 'no', answer]),
        ),
      );
    });
  return verb.addCommand(list) as Verb;
}

async function sendTest(target: NotifyTarget, options: DeliveryOptions) {
  const message = { type: 'test' as const, timestamp: new Date().toISOString(), data: { text: TEST_TEXT } };
  const { isDelivered, text } = await deliver(target, randomUUID(), message, options);
  return { target: target.name, isDelivered, answer: text };
}
