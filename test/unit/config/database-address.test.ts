// DATABASE_URL in the forms that libpq takes: each is read as libpq reads it, or refused with what to write instead.
import { describe, expect, it } from 'vitest';
import { findAddressFault, isDatabaseAddress, readDatabaseAddress } from '../../../src/config/database-address.ts';
import { loadEnvironment } from '../../../src/config/environment.ts';
import { itAccepts, itRefuses } from '../../support/forms.ts';

describe('an address of a database', () => {
  itAccepts(
    (written) => isDatabaseAddress(written) && findAddressFault(written) === undefined,
    [
      'postgres://a/b',
      'postgresql://user:p%40ss@[::1]:5432/b?application_name=x',
      'postgres:///b?host=/var/run/postgresql',
      'postgresql://user:secret@/b?host=/tmp&port=5433',
      'postgresql://%2Fvar%2Frun%2Fpostgresql/b',
      'postgresql://user:secret@a:5432,[::1]:5433/b?target_session_attrs=read-write',
    ],
  );

  itRefuses(isDatabaseAddress, [
    'mysql://a/b',
    'host=a dbname=b',
    'postgres:/a',
    'postgres://a:x/b',
    'postgres://a:5432,b:port/c',
    '/var/run/postgresql b',
    'a/b',
  ]);

  it('names one host for each that is tried, with all that node-postgres reads', () => {
    const { hosts, target } = readDatabaseAddress(
      'postgresql://u:p%2Fw@a:1,b:2/db?options=-c%20x%3D1&target_session_attrs=primary&sslmode=require&connect_timeout=3',
    );
    expect(target).toBe('primary');
    expect(hosts).toEqual([
      { name: 'a:1', url: 'postgresql://u:p%2Fw@a:1/db?options=-c+x%3D1&connect_timeout=3' },
      { name: 'b:2', url: 'postgresql://u:p%2Fw@b:2/db?options=-c+x%3D1&connect_timeout=3' },
    ]);
    expect(readDatabaseAddress('postgres://a/b')).toEqual({ hosts: [{ name: 'a', url: 'postgres://a/b' }], target: 'any', tls: undefined });
  });

  it.each([
    ['sslmode=disable', false],
    ['sslmode=require', { files: {} }],
    ['sslmode=verify-ca&sslrootcert=ca.crt', { files: { sslrootcert: 'ca.crt' } }],
    ['sslmode=verify-full&sslrootcert=system', { files: {} }],
    ['sslrootcert=ca.crt', { files: { sslrootcert: 'ca.crt' } }],
    ['sslmode=verify-full&sslcert=c&sslkey=k&sslpassword=p', { files: { sslcert: 'c', sslkey: 'k' }, password: 'p' }],
  ])('takes the files of TLS from %s', (query, tls) => {
    const address = readDatabaseAddress(`postgres://a/b?${query}`);
    expect(address).toMatchObject({ tls });
    expect(address.hosts[0]?.url).toBe('postgres://a/b');
  });

  it.each([
    ['a/b?sslmode=prefer', /sslmode=prefer, which lets the server decide .*; write disable, require, verify-ca or verify-full/],
    ['a/b?sslmode=hunter2', /has an unknown sslmode; write disable/],
    ['a/b?sslmode=require&sslcert=x', /one of sslcert and sslkey/],
    ['a,b/c', /several hosts, but not which one to use; add target_session_attrs=read-write/],
    ['a/b?target_session_attrs=prefer-standby', /unknown target_session_attrs; write one of any, read-write/],
    ['/b?host=a,c', /several hosts in host=; write them before the database/],
  ])('with %s is refused, and nothing of it is quoted', (rest, why) => {
    expect(() => loadEnvironment({ DATABASE_URL: `postgres://u:hunter2@${rest}` })).toThrow(why);
    expect(() => loadEnvironment({ DATABASE_URL: `postgres://u:hunter2@${rest}` })).not.toThrow(/hunter2/);
  });
});

it('a % that stands for itself in the password is named before anything is tried', () => {
  expect(findAddressFault('postgres://user:100%x@host/db')).toBe('has a % in its user or password that stands for itself; write %25');
  expect(findAddressFault('postgres://user:100%25x@host/db')).toBeUndefined();
});
