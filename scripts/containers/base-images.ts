// The images that ours are built on and run beside, made of Debian's packages and this machine's Node: where no registry can be asked for the
// official ones. They serve tests only.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/searchmill-containers', import.meta.url));
const PACKAGES = ['ca-certificates', 'postgresql', 'redis-server'];
const BASE = 'searchmill-base';

/** By the variables with which the Dockerfiles and compose files take other images. */
export const BASE_IMAGES = {
  NODE_IMAGE: 'searchmill-node',
  POSTGRES_IMAGE: 'searchmill-postgres',
  REDIS_IMAGE: 'searchmill-redis',
} as const;

/** As the official image does: a new database with the user, password and name of the environment; local connections need no password. */
const POSTGRES_ENTRYPOINT = `#!/bin/sh
set -eu
if [ "$(id -u)" = 0 ]; then
  chown postgres "$PGDATA" && chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" >/tmp/password
  initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait --options="--listen_addresses=" start
  createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl --wait stop
fi
exec postgres --listen_addresses='*'
`;

const DOCKERFILE = `
FROM ${BASE} AS node
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
# Where packages come from, and whom to trust, are this machine's own settings.
COPY npmrc /usr/local/etc/npmrc
COPY certificates /etc/ssl/certs/ca-certificates.crt
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd --uid 1000 --create-home node
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt

FROM ${BASE} AS postgres
RUN ln -s /usr/lib/postgresql/* /usr/lib/postgresql/current && mkdir -p /var/lib/postgresql/data && \
  chown postgres /var/lib/postgresql/data && chmod 3777 /var/run/postgresql
COPY entrypoint /usr/local/bin/entrypoint
ENV PATH=/usr/lib/postgresql/current/bin:/usr/bin:/bin PGDATA=/var/lib/postgresql/data
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["/usr/local/bin/entrypoint"]

FROM ${BASE} AS redis
`;

/** A Debian with the servers' packages, as an archive that is kept: debootstrap takes minutes. Returns its path. Throws with what debootstrap says. */
export function makeBaseArchive(debootstrap: string): string {
  const archive = join(CACHE, 'base.tar');
  if (existsSync(archive)) return archive;
  console.log('Making a base image of Debian packages (some minutes, once) ...');
  mkdirSync(CACHE, { recursive: true });
  const root = mkdtempSync(join(tmpdir(), 'searchmill-base-'));
  try {
    const words = ['--variant=minbase', `--include=${PACKAGES.join(',')}`, 'bookworm', root];
    execFileSync(debootstrap, words, { stdio: ['ignore', 'ignore', 'inherit'] });
    const left = ['./var/cache/apt', './var/lib/apt/lists', './usr/share/doc', './usr/share/locale', './var/lib/postgresql/*', './proc/*'];
    execFileSync('tar', [...left.map((path) => `--exclude=${path}`), '-C', root, '-cf', `${archive}.unfinished`, '.']);
    renameSync(`${archive}.unfinished`, archive);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return archive;
}

/** Makes the images of BASE_IMAGES of the archive. Throws with what the engine says. */
export function makeBaseImages(archive: string, docker: (...words: readonly string[]) => void): void {
  docker('import', archive, BASE);
  const context = mkdtempSync(join(tmpdir(), 'searchmill-context-'));
  try {
    const npm = realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
    const setting = (name: string): string => execFileSync('npm', ['config', 'get', name], { cwd: context, encoding: 'utf8' }).trim();
    copyFileSync(realpathSync(process.execPath), join(context, 'node'));
    cpSync(dirname(dirname(npm)), join(context, 'npm'), { recursive: true });
    writeFileSync(join(context, 'npmrc'), `registry=${setting('registry')}\n`);
    copyFileSync(process.env.NODE_EXTRA_CA_CERTS ?? '/etc/ssl/certs/ca-certificates.crt', join(context, 'certificates'));
    writeFileSync(join(context, 'entrypoint'), POSTGRES_ENTRYPOINT, { mode: 0o755 });
    writeFileSync(join(context, 'Dockerfile'), DOCKERFILE);
    for (const image of Object.values(BASE_IMAGES))
      docker('build', '--quiet', `--target=${image.replace('searchmill-', '')}`, `--tag=${image}`, context);
  } finally {
    rmSync(context, { recursive: true });
  }
}
