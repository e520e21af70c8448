import { describe, expect, it } from 'vitest';
import { splitAdvice } from '../../../src/core/advice.ts';
import { LostLeaseError, StoreError } from '../../../src/core/errors.ts';
import { asStoreError } from '../../../src/postgres/store-errors.ts';

const failure = (code: string | undefined, message = 'it failed') => Object.assign(new Error(message), code === undefined ? {} : { code });

describe('a failure of Postgres', () => {
  it.each(['08000', '08001', '08003', '08004', '08006', '25006', '25P03', '40001', '40P01', '53000', '53100', '53200', '53300'])(
    'with SQLSTATE %s passes by itself',
    (code) => {
      expect(asStoreError(failure(code))).toMatchObject({ code: 'store', retryable: true });
    },
  );

  it.each(['55006', '55P03', '57014', '57P01', '57P02', '57P03', '57P05', '58000', '58030'])(
    'with SQLSTATE %s passes by itself',
    (code) => {
      expect(asStoreError(failure(code))).toMatchObject({ code: 'store', retryable: true });
    },
  );

  it.each([
    '22021',
    '22P02',
    '22003',
    '23502',
    '23505',
    '23514',
    '28P01',
    '3D000',
    '42501',
    '42601',
    '42703',
    '42P01',
    '54000',
    'XX000',
    'P0001',
  ])('with SQLSTATE %s does not pass by itself', (code) => {
    expect(asStoreError(failure(code))).toMatchObject({ code: 'store', retryable: false });
  });

  it('says what its code means and what the server said', () => {
    expect(asStoreError(failure('40P01', 'deadlock detected')).message).toBe('deadlock: deadlock detected');
  });

  it.each([
    ['42P01', { message: 'relation "search.keyword_rankings" does not exist' }, 'rename search.keyword_rankings back'],
    ['42501', { message: 'permission denied for schema searchmill' }, 'GRANT searchmill_writer'],
    [
      '42501',
      { message: 'permission denied for table ai_search_brands' },
      'GRANT SELECT, INSERT, UPDATE, DELETE ON search.ai_search_brands',
    ],
    [
      '42501',
      { message: 'permission denied for table execution_7' },
      'ALTER TABLE searchmill_staging.execution_7 OWNER TO searchmill_writer',
    ],
    [
      '42501',
      { message: 'must be owner of table keyword_rankings' },
      'SELECT, INSERT, UPDATE, DELETE ON search.keyword_rankings TO searchmill_writer',
    ],
    [
      '42501',
      { message: 'permission denied for table audit', where: 'PL/pgSQL function public.f() line 2 at SQL statement' },
      'public.f()',
    ],
    ['42703', { message: 'column "device" of relation "keyword_rankings" does not exist' }, 'search.keyword_rankings ADD COLUMN device'],
    ['42804', { message: 'column "cpc" is of type text but expression is of type numeric' }, 'ALTER COLUMN cpc TYPE'],
    ['23502', { schema: 'public', table: 'Audit', column: 'who' }, 'ALTER TABLE public."Audit" ALTER COLUMN who DROP NOT NULL'],
    ['23505', { table: 'ai_search_brands_2026_11', constraint: 'ai_search_brands_2026_11_pkey' }, '"searchmill verify --deep"'],
    ['23505', { table: 'ai_search_brands_2026_11', constraint: 'of_a_dba' }, 'DROP INDEX'],
    ['P0001', { where: 'PL/pgSQL function public.keep(integer) line 3 at RAISE' }, 'a trigger runs public.keep(integer)'],
    ['A7001', { where: 'PL/pgSQL function public.keep(integer) line 3 at RAISE' }, 'a trigger runs public.keep(integer)'],
    ['53100', {}, 'make room for the database'],
    ['53300', {}, 'max_connections'],
    ['53400', {}, 'temp_file_limit'],
    ['25006', {}, 'set DATABASE_URL to its primary'],
  ])('with SQLSTATE %s of %j says what helps', (code, fields, advice) => {
    expect(splitAdvice(asStoreError(Object.assign(failure(code), fields)).message).advice).toContain(advice);
  });

  it('that only a person can end comes with advice, whatever its SQLSTATE', () => {
    const FOR_A_PERSON = [
      '23502',
      '23503',
      '23505',
      '23514',
      '42501',
      '42P17',
      '42P07',
      '0A000',
      '42P01',
      '42703',
      '42804',
      '55000',
      '54000',
    ];
    expect(FOR_A_PERSON.filter((code) => splitAdvice(asStoreError(failure(code)).message).advice === undefined)).toEqual([]);
  });
});

describe('a failure of the network', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])(
    'with code %s passes by itself',
    (code) => {
      expect(asStoreError(failure(code))).toMatchObject({ retryable: true, message: 'the database cannot be reached: it failed' });
    },
  );

  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'There was an error establishing an SSL connection',
  ])('that node-postgres words as %j passes by itself', (message) => {
    expect(asStoreError(failure(undefined, message))).toMatchObject({ retryable: true });
  });

  it('that has only a code shows it', () => {
    expect(asStoreError(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })).message).toBe(
      'the database cannot be reached: ECONNREFUSED',
    );
  });
});

describe('an error that becomes a store error', () => {
  it('keeps what was thrown as its cause, and where it happened', () => {
    const cause = failure('42P01');
    expect(asStoreError(cause, { job: 'a' })).toMatchObject({ cause, context: { job: 'a' } });
  });

  it('stays the same object when it is already one of ours', () => {
    const own = new LostLeaseError('gone');
    expect(asStoreError(own)).toBe(own);
    const store = new StoreError('gone', { retryable: true });
    expect(asStoreError(store)).toBe(store);
  });

  it.each([[undefined], [null], ['text'], [5], [{ code: 5 }]])('is not retryable when it is unknown: %j', (thrown) => {
    expect(asStoreError(thrown)).toMatchObject({ code: 'store', retryable: false });
  });
});

describe('a failure of a pooler', () => {
  const fatal = (message: string): Error => Object.assign(failure('08P01', message), { severity: 'FATAL' });

  it.each([
    'server conn crashed?',
    'query_wait_timeout',
    'server login has been failing, try again later (server_login_retry)',
    'pooler is shutting down',
  ])('"%s" passes by itself', (message) => {
    expect(asStoreError(fatal(message))).toMatchObject({ retryable: true, message: `the pooler has no server: ${message}` });
  });

  it.each(['no such database: x', 'unsupported startup parameter: options', 'no such user: x'])(
    '"%s" does not pass by itself, and says what to do',
    (message) => {
      expect(asStoreError(fatal(message))).toMatchObject({
        retryable: false,
        message: expect.stringMatching(/^the pooler \(PgBouncer\) refused: .*; /),
      });
    },
  );

  it('is not confused with a failure of Postgres of the same code', () => {
    expect(asStoreError(failure('08P01', 'bind message supplies 1 parameters'))).toMatchObject({ retryable: false });
  });
});

it('a failure that a node of a Citus cluster refused rows says so, and may pass', () => {
  const refused = Object.assign(failure('XX000', 'could not extend file: No space left on device'), { routine: 'ReportCopyError' });
  expect(asStoreError(refused)).toMatchObject({
    retryable: true,
    message: 'a node of the Citus cluster refused rows: could not extend file: No space left on device',
  });
});
