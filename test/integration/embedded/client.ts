// A process that uses the embedded Postgres of the folder given, says its port on stdout, and waits to be killed.
import { startEmbeddedPostgres } from '../../../embedded/postgres.ts';

const server = await startEmbeddedPostgres({ directory: process.argv[2] ?? '', isDurable: false });
console.log(server.port);
process.stdin.resume();
