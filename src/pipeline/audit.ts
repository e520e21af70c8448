// audit: before a slice is published, the received rows are compared with what the service announced and with the table.
// A slice that fails is held: the published rows stay, and a person decides. Pure: takes facts, returns objections.

import type { Drift } from '../codec/decode.ts';
import { daysOfPeriod, rowLimitOf } from '../datasets/submit-body.ts';
import type { Execution } from '../ledger/executions.ts';
import type { StagedFacts } from '../publishing/publish.ts';
import { describeShrinkage, type Shrinkage } from './shrinkage.ts';

export type AuditRule =
  | 'values'
  | 'keys'
  | 'others'
  | 'counts'
  | 'total'
  | 'window'
  | 'period'
  | 'account'
  | 'identity'
  | 'quarantine'
  | 'shrink'
  | 'written';

/** Why a slice is held, with its figures. `shrink` also lists what would vanish. `written`: the table does not accept the rows. */
export type Objection = Readonly<{ rule: AuditRule; message: string }> & Partial<Shrinkage>;

export type AuditFacts = Readonly<{
  execution: Pick<
    Execution,
    | 'rowsReceived'
    | 'rowsStaged'
    | 'rowsQuarantined'
    | 'totalRowCount'
    | 'maxRejectedShare'
    | 'maxRejectedRows'
    | 'minKeepShare'
    | 'accountId'
    | 'windowStart'
    | 'windowEnd'
    | 'request'
  >;
  staged: StagedFacts;
  /** What publishing would remove from the job's rows of this window; undefined when that is not too much. */
  shrinkage: Shrinkage | undefined;
  /** Identity columns that were missing from a schema of the answer. */
  missingIdentity: readonly Drift['column'][];
}>;

/**
 * Whether too many rows did not decode: both the share and the number are above their limits. Half of the rows or more is
 * always too many, whatever the number: the rest does not represent the week.
 */
function isRejected({ rowsReceived, rowsQuarantined, maxRejectedShare, maxRejectedRows }: AuditFacts['execution']): boolean {
  const isLargeShare = rowsQuarantined > 0 && rowsQuarantined / rowsReceived > maxRejectedShare;
  return isLargeShare && (rowsQuarantined > maxRejectedRows || 2 * rowsQuarantined >= rowsReceived);
}

/** Returns all objections. If there are none, the slice may be published. */
export function auditSlice({ execution, staged, shrinkage, missingIdentity }: AuditFacts): Objection[] {
  const objections: Objection[] = [];
  const object = (rule: AuditRule, message: string): void => {
    objections.push({ rule, message });
  };
  const { rowsReceived, rowsStaged, rowsQuarantined, totalRowCount, maxRejectedShare, maxRejectedRows, minKeepShare } = execution;

  if (staged.rows !== rowsStaged || rowsReceived !== rowsStaged + rowsQuarantined) {
    object(
      'counts',
      `${rowsReceived} rows were received, ${rowsStaged} decoded and ${rowsQuarantined} quarantined, but ${staged.rows} are staged`,
    );
  }
  const limit = rowLimitOf(execution.request);
  // totalRowCount may count all rows or only those up to the limit. The service may also ignore the limit and send all rows.
  const isLimited = limit !== undefined && totalRowCount !== null && BigInt(totalRowCount) > BigInt(limit);
  if (totalRowCount !== null && BigInt(totalRowCount) !== BigInt(rowsReceived) && !(isLimited && rowsReceived === limit)) {
    object(
      'total',
      `the service announced ${totalRowCount} rows${isLimited ? `, of which limit leaves ${limit},` : ''} and sent ${rowsReceived}`,
    );
  }
  if (staged.outside > 0) {
    object(
      'window',
      `${staged.outside} rows are outside ${execution.windowStart}..${execution.windowEnd} (periods start from ${staged.first} to ${staged.last})`,
    );
  }
  if (staged.offPeriod > 0) {
    const period = daysOfPeriod(execution.request) === 1 ? 'one day' : 'one week';
    object(
      'period',
      `the period of ${staged.offPeriod} of ${staged.rows} rows is not ${period} of ${execution.windowStart}..${execution.windowEnd}, such as ${staged.offPeriodExample}`,
    );
  }
  if (staged.otherAccount > 0) object('account', `${staged.otherAccount} rows have an account other than ${execution.accountId}`);
  if (missingIdentity.length > 0) object('identity', `columns that identify rows are missing: ${missingIdentity.join(', ')}`);
  if (isRejected(execution)) {
    const share = (rowsQuarantined / rowsReceived).toPrecision(3);
    const floor = maxRejectedRows > 0 ? `, or ${maxRejectedRows} rows while they are fewer than half` : '';
    object(
      'quarantine',
      `${rowsQuarantined} of ${rowsReceived} rows did not decode, a share of ${share}; max_rejected is ${maxRejectedShare}${floor}`,
    );
  }
  if (shrinkage) {
    objections.push({ rule: 'shrink', message: describeShrinkage(shrinkage, staged.weekRows.length, minKeepShare), ...shrinkage });
  }
  return objections;
}
