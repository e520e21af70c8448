// Every kind of problem, and what it means: the one list behind status, metrics, pages, notifications and the documents.

/** By the name that metrics and notifications carry, in the order in which they are told. Names are never changed; new ones are added. */
export const PROBLEM_KINDS = {
  'no-process': 'Loads are due or weeks are missing, and no process works on them.',
  'credential-refused': 'The service answers 401 to the credential of a connection.',
  'rate-limited': 'The service asked for fewer calls (429).',
  held: 'The audit objects to an answer; it is published, or dropped, by a person.',
  failed: 'Weeks could not be loaded, and nothing of them is in the tables.',
  discarded: 'Weeks whose answer somebody dropped, and of which nothing was published before.',
  'reload-failed': 'Weeks could not be loaded again; what was published before stays.',
  'rows-differ': 'A table has other rows of published weeks than publishing wrote: somebody has deleted or added some.',
  failing: 'The steps of a load fail one after another.',
  'asked-anew': 'A query brought nothing and was submitted again.',
  'process-died': 'A process died or hung while it loaded.',
  'not-configured': 'No process is configured with the connection of a load.',
  'not-taken': 'Loads are due, and no worker takes them.',
  'not-submitted': 'Loads wait for their submit, and none is sent.',
  'standing-still': 'A process works on a load, and nothing happens.',
  'unknown-submits': 'Submits whose answer was never seen: each may be spent.',
  'queue-error': 'Processes cannot use the queue.',
  'clock-wrong': "The clock of a process's machine is not the database's: weeks are planned late, or not at all.",
  'rounds-failing': 'What a process does every so often fails, such as planning, or comparing the tables.',
  missing: 'Expected weeks that are not planned yet.',
  cancelled: 'Expected weeks that were taken back.',
  'summaries-failing': 'Summaries behind the dashboards cannot be made.',
  'spellings-apart': 'Datasets spell an engine, a place or a language differently, so figures that join them are gaps.',
  'notifications-failing': 'A target of notifications does not take messages; they wait.',
  paused: 'A job or a connection is paused by hand.',
  disabled: 'A job is switched off.',
  'other-filters': 'Published weeks answer other filters than the job has now.',
  'empty-weeks': 'Weeks are published without rows.',
  quarantine: 'Published loads have rows that did not decode.',
  drift: "The service's schema differs from what is expected.",
} as const satisfies Readonly<Record<string, string>>;

export type ProblemKind = keyof typeof PROBLEM_KINDS;
