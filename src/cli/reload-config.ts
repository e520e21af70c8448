// SIGHUP: the configuration is read again, all or nothing. If it cannot be applied, nothing changes.
import { changedVariables, describeChanges } from '../config/compare-configs.ts';
import type { Environment, JobsConfig } from '../config/settings.ts';
import { describeError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';

/** In one line of the log. */
const MAX_CHANGES = 50;

export type ReloadOptions = Readonly<{
  config: JobsConfig;
  environment: Environment;
  /** Throws ConfigurationError, which names every mistake by file, line and field. */
  read: () => Promise<JobsConfig>;
  readEnvironment: () => Environment;
  /** Throws when nothing was applied. */
  apply: (next: JobsConfig) => Promise<void>;
  log: Logger;
  /** Told why a reload was refused; undefined when one succeeded. */
  onOutcome: (refusal: string | undefined) => void;
}>;

/** Reads and applies the configuration, one reload at a time; results go to the log. Never rejects. */
export function createReload({ read, readEnvironment, apply, log, onOutcome, ...started }: ReloadOptions): () => Promise<void> {
  let { config } = started;
  let last = Promise.resolve();
  const reload = async (): Promise<void> => {
    try {
      const variables = changedVariables(started.environment, readEnvironment());
      if (variables.length > 0) log.warn({ variables }, 'these variables have changed, but need a restart to take effect');
      const next = await read();
      const changes = await describeChanges(config, next);
      if (changes.length === 0) {
        onOutcome(undefined);
        return log.info('configuration reloaded: nothing has changed');
      }
      await apply(next);
      const more = next.connections.size - started.config.connections.size;
      if (more > 0) log.warn({ more }, 'connections were added; restart this process to work on more loads at once');
      config = next;
      onOutcome(undefined);
      const shown = changes.slice(0, MAX_CHANGES);
      log.info(
        { changes: shown, ...(changes.length > shown.length && { further: changes.length - shown.length }) },
        'configuration reloaded',
      );
    } catch (error) {
      onOutcome(describeError(error));
      log.error({ err: describeError(error) }, 'the configuration could not be reloaded; the previous one stays');
    }
  };
  return () => (last = last.then(reload));
}
