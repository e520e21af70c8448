// searchmill sandbox: serves the whole service on this machine, for trying things and for writing clients.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { parseFaultPlanText, type SandboxOptions, sandboxChoices, sandboxDefaults, startSandbox } from '../../sandbox/sandbox.ts';
import { closing } from '../core/closing.ts';
import { decodeText } from '../core/decode-text.ts';
import { ConfigurationError, describeError } from '../core/errors.ts';
import { operationPath } from '../datasets/dataset.ts';
import { DATASETS } from '../datasets/index.ts';
import { parseCount, parsePort } from './arguments.ts';
import type { Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

/** Where demo/jobs.config.yaml looks for the service when nothing else is set. */
export const DEFAULT_SANDBOX_PORT = 4010;

type Flags = Pick<SandboxOptions, 'gatewayHeader' | 'faults'> &
  Required<Pick<SandboxOptions, 'host' | 'port' | 'seed' | 'size' | 'queryMs' | 'duplicates' | 'periods' | 'records'>> &
  Readonly<{ token: readonly string[]; key: readonly string[]; submits: number; reads: number; control?: true }>;

type GatewayHeader = NonNullable<SandboxOptions['gatewayHeader']>;
type FaultPlan = NonNullable<SandboxOptions['faults']>;

export function sandboxVerb(terminal: Terminal): Verb {
  const collect = (value: string, previous: readonly string[]): string[] => [...previous, value];
  return new Verb('sandbox')
    .description('serve the whole service on this machine, with invented data; needs no account')
    .option('--host <address>', 'address to listen on', sandboxDefaults.host)
    .option('--port <port>', 'port to listen on; 0 takes a free one', parsePort, DEFAULT_SANDBOX_PORT)
    .option('--seed <number>', 'another number gives another company', parseCount, sandboxDefaults.seed)
    .addOption(new Option('--size <size>', 'how big the company is').choices(sandboxChoices.size).default(sandboxDefaults.size))
    .addOption(new Option('--token <token>', 'an accepted API token; may be repeated').argParser(collect).default([], 'sandbox-token'))
    .addOption(
      new Option('--key <key:secret>', 'an API key and its shared secret; may be repeated')
        .argParser(collect)
        .default([], 'sandbox-key:sandbox-secret'),
    )
    .option('--query-ms <ms>', 'how long a query runs', parseCount, sandboxDefaults.queryMs)
    .option('--submits <per minute>', 'submits allowed per credential', parseCount, sandboxDefaults.limits.submit)
    .option('--reads <per minute>', 'polls and pages allowed per credential', parseCount, sandboxDefaults.limits.read)
    .option('--duplicates <share>', 'share of citations and sentiments that are sent twice', parseShare, sandboxDefaults.duplicates)
    .addOption(
      new Option('--periods <rule>', 'periods accepted: whole weeks of at most 92 days, or any')
        .choices(sandboxChoices.periods)
        .default(sandboxDefaults.periods),
    )
    .addOption(
      new Option('--records <form>', 'records without empty fields, or with all fields as specified')
        .choices(sandboxChoices.records)
        .default(sandboxDefaults.records),
    )
    .option('--gateway-header <name:value>', 'a header that every call must carry', parseGatewayHeader)
    .option('--faults <file>', 'a fault plan (YAML): what goes wrong, at which calls, and when', readFaultPlan)
    .addOption(new Option('--control', 'serve /control to this machine: set faults, restate rows, expire ids, revoke credentials'))
    .more(`Accepts the token "sandbox-token", and the key "sandbox-key" with the secret
"sandbox-secret", unless others are given. /openapi.json describes it; /report
says what it saw: calls, the most in any 60 seconds, violations of the protocol.
docs/sandbox.md has more.

Examples:
  searchmill sandbox
  searchmill sandbox --size large --query-ms 5000
  searchmill sandbox --faults test/chaos/plans/weather-mild.yaml
  curl -X POST http://127.0.0.1:${DEFAULT_SANDBOX_PORT}/data-api/v1/async/ai_search_brands \\
       -H 'Authorization: Bearer sandbox-token' -H 'Content-Type: application/json' \\
       -d '{"account_id": 12345, "start_date": "2026-11-08", "end_date": "2026-11-14", "collection_frequency": "WEEKLY"}'`)
    .action(async (flags: Flags) => {
      await using sandbox = closing(await startSandbox(toOptions(flags)).catch((error: unknown) => refuseTaken(error, flags)), (it) =>
        it.close(),
      );
      terminal.print(`The sandbox listens on ${sandbox.url}`);
      for (const dataset of DATASETS) terminal.print(`  POST ${sandbox.url}${operationPath(dataset)}`);
      terminal.print(`  GET  ${sandbox.url}/openapi.json\n  GET  ${sandbox.url}/report\nCtrl-C stops it.`);
      if (!terminal.stopping.aborted) await once(terminal.stopping, 'abort');
    });
}

function toOptions({ token, key, submits, reads, control, ...rest }: Flags): SandboxOptions {
  const pairs = key.map((pair) => {
    const [apiKey = '', sharedSecret = ''] = pair.split(':', 2);
    if (apiKey === '' || sharedSecret === '') throw new ConfigurationError('--key: expected a key and its secret, separated by a colon');
    return { apiKey, sharedSecret };
  });
  const credentials = [...token.map((one) => ({ token: one })), ...pairs];
  return {
    ...rest,
    limits: { submit: submits, read: reads },
    isControllable: control === true,
    ...(credentials.length > 0 ? { credentials } : {}),
  };
}

function refuseTaken(error: unknown, { host, port }: Flags): never {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  throw new ConfigurationError(
    `--port: ${port} of ${host} is in use, perhaps by another sandbox; choose another port, or 0 for any free one`,
    { cause: error },
  );
}

function parseGatewayHeader(written: string): GatewayHeader {
  const colon = written.indexOf(':');
  const header = { name: written.slice(0, colon).trim(), value: written.slice(colon + 1).trim() };
  if (colon < 1 || header.value === '') {
    throw new ConfigurationError('--gateway-header: expected a name and a value, separated by a colon, such as X-Gateway-Key:abc');
  }
  return header;
}

function readFaultPlan(path: string): FaultPlan {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new ConfigurationError(`--faults: ${path} cannot be read: ${describeError(error)}`);
  }
  const decoded = decodeText(bytes);
  if (decoded.kind === 'other') throw new ConfigurationError(`--faults: ${path}:${decoded.line}:${decoded.column}: ${decoded.problem}`);
  return parseFaultPlanText(decoded.text, path);
}

function parseShare(text: string): number {
  const share = Number(text);
  if (!(share >= 0 && share <= 1)) throw new ConfigurationError('--duplicates: expected a share from 0 to 1');
  return share;
}
