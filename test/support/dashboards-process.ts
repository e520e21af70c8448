// The dashboards in a process of their own, whose memory nothing else takes. Arguments: the database and a folder of boards.
import { silentLogger } from '../../src/core/log.ts';
import { Secret } from '../../src/core/secret.ts';
import { startDashboards } from '../../src/dashboards/server.ts';

const [databaseUrl = '', boardsFolder = ''] = process.argv.slice(2);
const { url } = await startDashboards({
  host: '127.0.0.1',
  port: 0,
  databaseUrl: new Secret(databaseUrl),
  password: undefined,
  log: silentLogger,
  boardsFolder,
});
process.on('message', () => process.send?.(process.memoryUsage.rss()));
process.send?.(url);
