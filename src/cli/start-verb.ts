// searchmill start: the service. Runs until it is told to stop.
import { once } from 'node:events';
import { Option } from 'commander';
import { loadJobsConfigInThread } from '../config/config-thread.ts';
import type { JobsConfig } from '../config/settings.ts';
import { closing } from '../core/closing.ts';
import { VERSION } from '../core/version.ts';
import type { FailingRound } from '../ledger/instances.ts';
import { startNotifier } from '../notify/notifier.ts';
import { createMetrics } from '../ops/metrics.ts';
import { OPS_CONNECTIONS, startOpsServer } from '../ops/server.ts';
import { createPool } from '../postgres/pool.ts';
import { RELOADING } from '../problems/processes.ts';
import { countWorkers, startInstance } from '../queue/instance.ts';
import type { Role } from '../queue/rounds.ts';
import { DEFAULT_CONCURRENCY } from '../queue/workers.ts';
import { parseCount } from './arguments.ts';
import { checkTemporaryFiles } from './checks/temporary-files.ts';
import { fitConnections } from './fit-connections.ts';
import { commonOptions } from './instance-options.ts';
import { migrateAll } from './migrate-verb.ts';
import { openTracing, tellBoth } from './open-tracing.ts';
import { createReload } from './reload-config.ts';
import { requireMigrated } from './require-migrated.ts';
import { type GlobalOptions, openLog, readConfig, readEnvironment, requireDatabase, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

type StartOptions = GlobalOptions & Readonly<{ role: Role; migrate?: boolean; concurrency: number }>;

export function startVerb(terminal: Terminal): Verb {
  return new Verb('start')
    .description('run the service: plan on schedule, load, publish')
    .addOption(new Option('--role <role>', 'what this process does').choices(['all', 'scheduler', 'worker']).default('all'))
    .option('--migrate', 'bring the database up to date first')
    .option('--concurrency <steps>', 'executions per connection worked on at once', parseCount, DEFAULT_CONCURRENCY)
    .more(`Run any number of processes on any number of machines. Without REDIS_URL the
queue lives in the same database. OPS_HOST:OPS_PORT (127.0.0.1:9464) serves
the dashboards, /healthz, /readyz and /metrics. SIGTERM or Ctrl-C finishes
the page at hand and gives leases back; a second one exits at once. SIGHUP
reads the configuration again.

Examples:
  searchmill start --migrate            everything in one process
  searchmill start --role scheduler     plans only
  searchmill start --role worker        loads only; run as many as you like`)
    .action(async (_: unknown, command: Verb) => {
      const options = command.optsWithGlobals<StartOptions>();
      const environment = readEnvironment(terminal, options);
      const metrics = createMetrics(VERSION);
      const log = openLog(terminal, environment, metrics.onLogLineLost);
      let reload = async (): Promise<void> => undefined;
      let isReloadWanted = false;
      terminal.onHangUp?.(() => {
        isReloadWanted = true;
        void reload();
      });
      // Warnings of a service go to its log.
      const config = readConfig({ ...terminal, warn: (text) => log.warn(text) }, environment);
      const readAgain = async (): Promise<JobsConfig> => {
        const { config: next, warnings } = await loadJobsConfigInThread(environment.configPath, terminal.env);
        for (const warning of warnings) log.warn(`warning: ${warning}`);
        return next;
      };
      const databaseUrl = requireDatabase(environment);
      if (options.migrate) {
        const applied = await migrateAll(databaseUrl, environment.redisUrl, { tell: (line) => log.warn(line) });
        if (applied.length > 0) log.info({ applied }, 'migrated');
      }
      const room = await checkTemporaryFiles();
      if (typeof room !== 'string') log.warn(room.warning);
      await using pool = createPool(databaseUrl, { applicationName: `searchmill ${options.role}`, max: options.concurrency + 4 });
      await requireMigrated(pool);
      const { concurrency } = options;
      const listeners = environment.redisUrl ? undefined : countWorkers(options.role);
      let refusal: FailingRound | undefined;
      const onOutcome = (why: string | undefined): void => {
        // Since the first refusal in a row.
        refusal =
          why === undefined
            ? undefined
            : { name: RELOADING, what: 'the configuration could not be reloaded', why, since: refusal?.since ?? new Date().toISOString() };
      };
      const plan = await fitConnections(pool, { concurrency, listeners, ...OPS_CONNECTIONS }, (note) => log.warn(note));
      await using tracing = await openTracing(environment, pool, log);
      await using instance = await startInstance({
        ...commonOptions({ environment, config, databaseUrl, pool, log }),
        role: options.role,
        concurrency: plan.concurrency,
        queueConnections: plan.queue,
        failingBeside: () => (refusal ? [refusal] : []),
        observer: tellBoth(metrics.pipelineObserver, tracing?.pipelineObserver),
        callObserver: (connection) => tellBoth(metrics.callObserver(connection), tracing?.callObserver(connection)),
      });
      const { opsHost: host, opsPort: port, opsPassword: password, opsTrustedProxies: trustedProxies } = environment;
      const { basePath } = config.pages;
      await using _ops = await startOpsServer({ host, port, password, trustedProxies, basePath, databaseUrl, instance, metrics, log });
      const openNotifier = ({ notify }: JobsConfig) => startNotifier({ notify, pool, log, proxies: environment });
      let notifier = await openNotifier(config);
      await using _notifier = closing({}, () => notifier.stop());
      const apply = async (next: JobsConfig): Promise<void> => {
        const [former, latter] = [notifier, await openNotifier(next)];
        await instance.configure(next).catch(async (error: unknown) => {
          await latter.stop();
          throw error;
        });
        notifier = latter;
        await former.stop();
        // The signal may have been meant only for the previous process.
        if (terminal.stopping.aborted) await latter.stop();
      };
      reload = createReload({
        config,
        environment,
        read: readAgain,
        readEnvironment: () => readEnvironment(terminal, options),
        apply,
        log,
        onOutcome,
      });
      // It was requested in the meantime.
      if (isReloadWanted) await reload();
      if (!terminal.stopping.aborted) await once(terminal.stopping, 'abort');
    });
}
