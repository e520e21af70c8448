// A server speaks the language of its lc_messages. What we do and advise follows from SQLSTATEs, fields of the error, the catalogue and names, which are the same
// in every language, and never from words.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { splitAdvice } from '../../../src/core/advice.ts';
import { asStoreError, isStagingUnusable } from '../../../src/postgres/store-errors.ts';

const adviceOf = (fields: object): string | undefined => splitAdvice(asStoreError(Object.assign(new Error(), fields)).message).advice;

describe('a server that speaks another language', () => {
  it.each<[string, object, readonly string[], string]>([
    [
      'a missing right to a table',
      { code: '42501', routine: 'aclcheck_error' },
      [
        'permission denied for table ai_search_brands',
        'keine Berechtigung für Tabelle ai_search_brands',
        'droit refusé pour la table ai_search_brands',
        'нет доступа к таблице ai_search_brands',
        '对表 ai_search_brands 权限不够',
        'テーブルai_search_brandsへのアクセスが拒否されました',
      ],
      'ON search.ai_search_brands TO searchmill_writer',
    ],
    [
      'a missing right to a staging table',
      { code: '42501', routine: 'aclcheck_error' },
      ['permission denied for table execution_7', 'keine Berechtigung für Tabelle execution_7', '必须是表 execution_7 的属主'],
      'ALTER TABLE searchmill_staging.execution_7 OWNER TO searchmill_writer',
    ],
    [
      'row level security',
      { code: '42501', routine: 'check_enable_rls' },
      [
        'query would be affected by row-level security policy for table "keyword_rankings"',
        'Anfrage wäre von Policy für Sicherheit auf Zeilenebene für Tabelle »keyword_rankings« betroffen',
        'la requête serait affectée par la politique de sécurité au niveau ligne pour la table « keyword_rankings »',
      ],
      'ALTER TABLE search.keyword_rankings DISABLE ROW LEVEL SECURITY',
    ],
    [
      'a missing table',
      { code: '42P01' },
      [
        'relation "search.others" does not exist',
        'Relation »search.others« existiert nicht',
        'la relation « search.others » n’existe pas',
        'отношение "search.others" не существует',
      ],
      'rename search.others back',
    ],
    [
      'a missing column',
      { code: '42703' },
      [
        'column "device" of relation "keyword_rankings" does not exist',
        'Spalte »device« von Relation »keyword_rankings« existiert nicht',
        'la colonne « device » de la relation « keyword_rankings » n’existe pas',
        '关系 "keyword_rankings" 的 "device" 字段不存在',
      ],
      'ALTER TABLE search.keyword_rankings ADD COLUMN device',
    ],
    [
      'no partition for a row',
      { code: '23514', table: 'keyword_rankings', routine: 'ExecFindPartition' },
      [
        'no partition of relation "keyword_rankings" found for row',
        'keine Partition von Relation »keyword_rankings« für die Zeile gefunden',
      ],
      'attach a partition of search.keyword_rankings',
    ],
    [
      'no replica identity',
      { code: '55000', routine: 'CheckCmdReplicaIdentity' },
      [
        'cannot delete from table "keyword_rankings" because it does not have a replica identity and publishes deletes',
        'kann nicht aus Tabelle »keyword_rankings« löschen, weil sie keine Replik-Identität hat und Deletes publiziert',
      ],
      'ALTER TABLE search.keyword_rankings REPLICA IDENTITY FULL',
    ],
    [
      'a client that pg_hba.conf does not let in',
      { code: '28000', routine: 'ClientAuthentication' },
      [
        'no pg_hba.conf entry for host "10.0.0.1", user "mill", database "warehouse", no encryption',
        'kein pg_hba.conf-Eintrag für Host »10.0.0.1«, Benutzer »mill«, Datenbank »warehouse«, keine Verschlüsselung',
      ],
      'add sslmode=verify-full to DATABASE_URL',
    ],
    [
      'a client without a certificate',
      { code: '28000', routine: 'ClientAuthentication' },
      ['connection requires a valid client certificate', 'Verbindung erfordert ein gültiges Client-Zertifikat'],
      'name a certificate of the role by sslcert and sslkey',
    ],
  ])('gets the same advice: %s', (_, fields, messages, advice) => {
    const [english, ...others] = messages.map((message) => adviceOf({ ...fields, message }));
    expect(english).toContain(advice);
    for (const [at, other] of others.entries()) expect(other, messages[at + 1]).toBe(english);
  });

  it.each([
    'PL/pgSQL function public.keep(integer) line 3 at RAISE',
    'PL/pgSQL-Funktion public.keep(integer) Zeile 3 bei RAISE',
    'fonction PL/pgSQL public.keep(integer), ligne 3 à RAISE',
    'функция PL/pgSQL public.keep(integer), строка 3, оператор RAISE',
    '在RAISE的第3行的PL/pgSQL函数public.keep(integer)',
    'SQL-Anweisung »SELECT count(*) FROM audit«\nPL/pgSQL-Funktion public.keep(integer) Zeile 3 bei SQL-Anweisung',
  ])('names the function of a trigger that refused: %j', (where) => {
    expect(adviceOf({ code: 'P0001', message: 'no', where })).toContain('a trigger runs public.keep(integer), which refused');
  });

  it.each([
    ['42P01', 'Relation »searchmill_staging.execution_5« existiert nicht', true],
    ['42703', 'Spalte »device« von Relation »execution_5« existiert nicht', true],
    ['42703', 'Spalte s.device existiert nicht', true],
    ['42703', 'la colonne s.device n’existe pas', true],
    ['42703', 'Spalte »device« von Relation »keyword_rankings« existiert nicht', false],
    ['42703', 'Spalte t.device existiert nicht', false],
  ])('with SQLSTATE %s, %j: staging is loaded anew is %s', (code, message, isUnusable) => {
    expect(isStagingUnusable(Object.assign(new Error(message), { code }))).toBe(isUnusable);
  });
});

describe('the source', () => {
  const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));
  /** Places where a message decides: its words are always in English, or it is searched for a name. */
  const ALLOWED: Readonly<Record<string, readonly string[]>> = {
    // Our own messages.
    'core/errors.ts': ['message.includes(own)'],
    // The parser of YAML, which has one code for several mistakes, and no other language.
    'config/yaml-syntax.ts': ["message.startsWith('Implicit map keys need')", 'message.startsWith(begin)'],
    // Redis and ioredis, which have no other language.
    'queue/backend/redis-connections.ts': [
      "message.includes('READONLY')",
      "message.startsWith('Socket timeout')",
      "message.startsWith('DENIED ')",
    ],
    // Node, node-postgres and PgBouncer, and the name of a file.
    'postgres/connection-errors.ts': ['message.test(message)'],
    'postgres/pooler.ts': ['/transaction blocks not allowed/.test((error as Error).message)', '/timeout/i.test(error.message)'],
    'postgres/store-errors.ts': [
      'TRANSIENT_MESSAGES.test(message)',
      // Names.
      "message.includes('searchmill_staging.')",
      String.raw`/\bexecution_\d+\b|(?<![\w.])s\.\w/.test(message)`,
    ],
    // The name of a setting, and names in general.
    'postgres/session-settings.ts': ["message.includes('session_replication_role')"],
    'postgres/failed-objects.ts': ['message.match(', String.raw`/\b\w+\.(\w+)/.exec(message)`, 'message.matchAll('],
  };

  it('decides nothing by the words of a message', () => {
    const asked =
      /\bmessage\??\.(?:includes|startsWith|endsWith|match|matchAll|search|indexOf)\(|\.(?:test|exec)\((?:\(?\w+ as Error\)?|\w+)?\.?message\)/g;
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
    const found = files.flatMap((file) => {
      let text = readFileSync(SRC + file, 'utf8');
      for (const allowed of ALLOWED[file] ?? []) {
        expect(text, file).toContain(allowed);
        text = text.replaceAll(allowed, '');
      }
      return [...text.matchAll(asked)].map(([match]) => `${file}: ${match}`);
    });
    expect(found).toEqual([]);
  });

  it('decides nothing by the words of a message in SQL', () => {
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    for (const folder of ['migrations', 'src'])
      for (const file of readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('.sql')))
        expect(readFileSync(`${root}${folder}/${file}`, 'utf8'), file).not.toMatch(
          /\b(?:SQLERRM|MESSAGE_TEXT|PG_EXCEPTION_DETAIL|PG_EXCEPTION_HINT)\b(?!\s*;)/,
        );
  });
});
