// What starts and stops this process, and so how a person starts it, makes it read its file again and gives it another credential.
// Messages name these steps; a step that does not work where the reader is costs a night.

export const SUPERVISORS = ['systemd', 'kubernetes', 'compose', 'terminal'] as const;
export type Supervisor = (typeof SUPERVISORS)[number];

/** Services of Compose that load, for its steps. */
type Services = readonly string[];

type Steps = Readonly<{
  /** `role` is that of the process that is missing; undefined for any. */
  start: (role: string | undefined) => string;
  /** Makes all processes read the jobs file again. */
  reload: (services: Services) => string;
  /** Makes all processes use a credential that was replaced. */
  takeCredential: string;
}>;

const STEPS: Readonly<Record<Supervisor, Steps>> = {
  systemd: {
    start: () => "systemctl start 'searchmill*' --all   starts its units; journalctl -u searchmill says why one ended",
    reload: () => "systemctl reload 'searchmill*'",
    // LoadCredential copies the files at the start, and a reload does not renew the copies.
    takeCredential: "systemctl restart 'searchmill*' to apply it, since a unit keeps its copies of credentials until a restart",
  },
  kubernetes: {
    start: (role) =>
      `kubectl -n searchmill get pods${role ? ` -l app.kubernetes.io/component=${role}` : ''}   shows why none runs; "kubectl -n searchmill describe pod" has its events`,
    reload: () => 'kubectl apply -k with the corrected file, which replaces the pods',
    takeCredential: 'kubectl -n searchmill rollout restart deployment to apply it, after the Secret was replaced',
  },
  compose: {
    start: () => 'docker compose up -d   starts what does not run; docker compose logs says why it ended',
    reload: (services) => `docker compose restart ${services.join(' ') || 'with the names of the services that run Searchmill'}`,
    takeCredential: 'docker compose up -d to apply it, after .env was changed',
  },
  terminal: {
    start: (role) => `searchmill start${role ? ` --role ${role}` : ''}`,
    reload: () => 'send SIGHUP to each process',
    takeCredential: 'send SIGHUP to each process to apply it; restart if it is in an environment variable',
  },
};

type Started = Readonly<{ env: Readonly<Record<string, string | undefined>>; pid: number }>;

/**
 * The supervisor of a process with this environment. Commands of deploy/systemd/searchmill, and those that are typed into a container,
 * have the one of the processes they are about.
 */
export function findSupervisor({ env, pid }: Started): Supervisor {
  const named = SUPERVISORS.find((supervisor) => supervisor === env.SEARCHMILL_SUPERVISOR);
  if (named) return named;
  if (env.KUBERNETES_SERVICE_HOST) return 'kubernetes';
  if (/\bdocker[ -]compose\b/.test(env.SEARCHMILL_COMMAND ?? '')) return 'compose';
  // INVOCATION_ID alone says nothing: terminals of a desktop are units, too, and pass it on.
  return env.SYSTEMD_EXEC_PID === String(pid) ? 'systemd' : 'terminal';
}

/** The services of Compose that load: as its file says, else the one that commands are typed into. */
export function findServices({ SEARCHMILL_SERVICES: named, SEARCHMILL_COMMAND: command = '' }: Started['env']): Services {
  const services = named ?? /\bdocker[ -]compose\b.*? exec (\S+)/.exec(command)?.[1] ?? '';
  return services.split(/[\s,]+/).filter(Boolean);
}

let own: Supervisor = 'terminal';
let ownServices: Services = [];

/** Sets the supervisor, once at the start. */
export function setSupervisor(supervisor: Supervisor, services: Services = []): void {
  own = supervisor;
  ownServices = services;
}

/** A step that starts a process, with its explanation after three spaces. */
export const stepOfStart = (role?: string): string => STEPS[own].start(role);
export const stepOfReload = (): string => STEPS[own].reload(ownServices);
export const stepOfCredential = (): string => STEPS[own].takeCredential;
