// Every kind of problem and its meaning: the only list, used by status, metrics, pages, notifications and the documentation.

/** Keyed by the name used in metrics and notifications, in the order of reports. Names never change; new ones may be added. */
export const PROBLEM_KINDS = {
  'no-process': 'Loads are due or weeks are missing, and no process works on them.',
  'credential-refused': 'The service answers 401 to the credential of a connection.',
  'rate-limited': 'The service asked for fewer calls (429).',
  held: 'The audit objects to an answer; a person must publish or drop it.',
  failed: 'Weeks could not be loaded, and the tables have no rows of them.',
  discarded: 'Weeks whose answer was discarded by a person, and that were not published before.',
  'reload-failed': 'Weeks could not be loaded again; published rows stay.',
  'rows-differ': 'A table differs from what was published: rows of published weeks were deleted or added.',
  'rows-left': 'Rows of a job that is no longer configured are in weeks of configured jobs, so figures add both up.',
  failing: 'The steps of a load fail one after another.',
  'asked-anew': 'A query had no result and was submitted again.',
  'process-died': 'A process died or hung while it loaded.',
  'not-configured': 'No process is configured with the connection of a load.',
  'not-taken': 'Loads are due, and no worker takes them.',
  'not-submitted': 'Loads wait for their submit, and none is sent.',
  'standing-still': 'A process works on a load, but makes no progress.',
  'unknown-submits': 'Submits that were never answered: each may be spent.',
  'queue-error': 'Processes cannot use the queue.',
  'clock-wrong': "The clock of a process's machine differs from the database's: weeks are planned late, or not at all.",
  'rounds-failing': 'A round of a process keeps failing, such as planning, or comparing the tables.',
  'reload-refused': 'Processes were told to read their configuration again and refused it; the previous one stays.',
  missing: 'Expected weeks that are not planned yet.',
  cancelled: 'Expected weeks that were cancelled.',
  'summaries-failing': 'Summaries for the dashboards cannot be computed.',
  'spellings-apart': 'Datasets spell an engine, a place or a language differently, so figures that join them are gaps.',
  'notifications-failing': 'A target of notifications does not accept messages; they wait.',
  paused: 'A job or a connection is paused by hand.',
  disabled: 'A job is disabled.',
  'other-filters': 'Published weeks answer filters other than the current ones of the job.',
  'empty-weeks': 'Weeks are published without rows.',
  quarantine: 'Published loads have rows that did not decode.',
  drift: "The service's schema differs from the expected one.",
} as const satisfies Readonly<Record<string, string>>;

export type ProblemKind = keyof typeof PROBLEM_KINDS;
