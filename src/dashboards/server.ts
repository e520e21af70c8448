// The dashboards alone, for an analyst's machine: needs only read access to the database.
import { ConfigurationError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import type { Secret } from '../core/secret.ts';
import { accessFor } from './access.ts';
import type { BasePath } from './base-path.ts';
import { readBoards } from './boards.ts';
import { type Address, createHttpServer, listen } from './http-server.ts';
import { servePages } from './pages.ts';
import { createPanelPool } from './run-panels.ts';

export type DashboardsOptions = Address &
  Readonly<{
    databaseUrl: Secret;
    password: Secret | undefined;
    trustedProxies?: readonly string[];
    basePath?: BasePath | undefined;
    log: Logger;
    boardsFolder?: string;
    assetsFolder?: string;
  }>;

export interface Dashboards {
  /** The URL at which they are served. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts them. Throws ConfigurationError when listening fails, the address needs a password, or a panel's file has mistakes. */
export async function startDashboards(options: DashboardsOptions): Promise<Dashboards> {
  const pool = createPanelPool(options.databaseUrl);
  const access = accessFor({ ...options, pool });
  if (access.kind === 'closed') {
    throw new ConfigurationError(
      `environment: OPS_HOST: ${options.host} can be reached by others, so the dashboards need a password; set OPS_PASSWORD or OPS_PASSWORD_FILE`,
    );
  }
  const boards = readBoards(options.boardsFolder);
  const server = createHttpServer({ trustedProxies: options.trustedProxies, basePath: options.basePath });
  const close = async (): Promise<void> => {
    await server.close();
    await pool.end();
  };
  try {
    await server.register(servePages, {
      pool,
      boards,
      access,
      log: options.log,
      basePath: options.basePath,
      ...(options.assetsFolder && { assetsFolder: options.assetsFolder }),
    });
    return { url: await listen(server, options, 'the dashboards'), close };
  } catch (error) {
    await close();
    throw error;
  }
}
