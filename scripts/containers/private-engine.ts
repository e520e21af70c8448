// A Docker engine of its own: its images, containers and socket are in a temporary folder, and nothing of another engine or of the machine's
// firewall is touched. Containers reach each other and publish ports, but reach nothing outside; builds use this machine's network.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const STARTS_WITHIN_MS = 60_000;
const STOPS_WITHIN_MS = 60_000;

export type PrivateEngine = Readonly<{ address: string; stop: () => Promise<void> }>;

/** Starts `dockerd`, for which one must be root. Throws with the end of its log when it does not answer. */
export async function startPrivateEngine(dockerd: string): Promise<PrivateEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'searchmill-engine-'));
  const path = (name: string): string => join(folder, name);
  const address = `unix://${path('socket')}`;
  const docker = (...words: readonly string[]): string =>
    spawnSync('docker', words, { encoding: 'utf8', env: { ...process.env, DOCKER_HOST: address } }).stdout?.trim() ?? '';
  // Not the machine's own settings.
  writeFileSync(path('settings.json'), '{}');
  const places = ['data-root', 'exec-root', 'pidfile'].map((name) => `--${name}=${path(name)}`);
  const settings = [`--config-file=${path('settings.json')}`, '--bridge=none', '--iptables=false', '--ip6tables=false'];
  const log = openSync(path('log'), 'w');
  const engine = spawn(dockerd, [`--host=${address}`, ...places, ...settings], { stdio: ['ignore', log, log], detached: true });
  closeSync(log);
  const ended = once(engine, 'exit');

  const stop = async (): Promise<void> => {
    if (engine.exitCode === null) {
      const containers = docker('ps', '--all', '--quiet').split('\n').filter(Boolean);
      if (containers.length > 0) docker('rm', '--force', '--volumes', ...containers);
      docker('network', 'prune', '--force');
      engine.kill('SIGTERM');
      const hasEnded = await Promise.race([ended, delay(STOPS_WITHIN_MS, undefined, { ref: false })]);
      if (!hasEnded) throw new Error(`dockerd (process ${engine.pid}) did not end; its files are in ${folder}`);
    }
    // dockerd leaves its own network name space mounted.
    spawnSync('umount', [path('exec-root/netns/default')], { stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  };

  const giveUpAt = performance.now() + STARTS_WITHIN_MS;
  while (docker('version', '--format={{.Server.Version}}') === '') {
    if (engine.exitCode !== null || performance.now() > giveUpAt) {
      const said = readFileSync(path('log'), 'utf8').trim().split('\n').slice(-3).join('\n');
      await stop();
      throw new Error(`dockerd does not start here:\n${said}`);
    }
    await delay(200);
  }
  return { address, stop };
}
