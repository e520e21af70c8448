-- What jobs.config.yaml says of an account: its own domains, its competitors, and spellings that mean the same.

-- Own domains ---------------------------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW search_reports.own_domains WITH (security_barrier) AS
SELECT account_id, domain, source
  FROM searchmill.own_domains
 WHERE (SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login);
COMMENT ON VIEW search_reports.own_domains IS 'Domains of the account itself: those that its jobs configure, else those of citations attributed to You.';

CREATE OR REPLACE FUNCTION search_reports.own_patterns(account bigint) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  WITH counted AS (
    SELECT domain
      FROM search_reports.own_domains o
     WHERE account_id = account
       AND source = CASE WHEN EXISTS (SELECT FROM search_reports.own_domains c WHERE c.account_id = account AND c.source = 'configured')
                         THEN 'configured' ELSE 'cited' END
  )
  SELECT coalesce(array_agg('%.' || regexp_replace(domain, '([\\%_])', '\\\1', 'g') ORDER BY domain COLLATE "C"), '{}')
    FROM counted o
   -- A domain below another own domain needs no pattern of its own.
   WHERE NOT EXISTS (SELECT FROM counted above WHERE right(o.domain, length(above.domain) + 1) = '.' || above.domain);
END;
COMMENT ON FUNCTION search_reports.own_patterns IS 'LIKE patterns for the own domains of an account. A domain with a dot put before it matches if it is an own domain or lies below one.';

CREATE OR REPLACE FUNCTION search_reports.is_own(subdomain text, root_domain text, patterns text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce('.' || lower(subdomain COLLATE "C") LIKE ANY (patterns), false)
    OR coalesce('.' || lower(root_domain COLLATE "C") LIKE ANY (patterns), false);
COMMENT ON FUNCTION search_reports.is_own IS 'Whether a result is our own: its subdomain or its root domain matches a pattern of own_patterns.';

CREATE OR REPLACE FUNCTION search_reports.bare_domain(domain text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(regexp_replace(lower(domain COLLATE "C"), '^www\.(?=.+\.)', ''), 253);
COMMENT ON FUNCTION search_reports.bare_domain IS 'A domain in lower case without www., at most 253 characters as domains have. www. is kept if no other dot follows, as in www.com.';

CREATE OR REPLACE FUNCTION search_reports.bare_url(url text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN rtrim(regexp_replace(url, '^([a-z]+://)?(www\.)?', '', 'i'), '/');
COMMENT ON FUNCTION search_reports.bare_url IS 'A page as all figures identify it: its URL without scheme, www. and slashes at the end.';

CREATE OR REPLACE FUNCTION search_reports.host_of(bare_url text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(substring(bare_url FROM '^[^/?#:]+'));
COMMENT ON FUNCTION search_reports.host_of IS 'The host of a page in lower case. The page is given as search_reports.bare_url makes it.';

-- Competitors ---------------------------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW search_reports.competitors WITH (security_barrier) AS
SELECT account_id, domain
  FROM searchmill.competitors
 WHERE (SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login);
COMMENT ON VIEW search_reports.competitors IS 'Sites of competitors that the jobs of an account configure (competitors in jobs.config.yaml). An account without any has those that citations attribute to SEO Competitor.';

CREATE OR REPLACE FUNCTION search_reports.competitor_patterns(account bigint, pinned text[] DEFAULT NULL) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(array_agg('%.' || regexp_replace(domain, '([\\%_])', '\\\1', 'g') ORDER BY domain COLLATE "C"), '{}')
    FROM (SELECT domain FROM search_reports.competitors WHERE account_id = account UNION SELECT unnest(pinned)) AS known;
END;
COMMENT ON FUNCTION search_reports.competitor_patterns IS 'LIKE patterns for the competitors that the jobs of an account configure and for others that are given. A site with a dot put before it matches if it is one of them or lies below one.';

-- Spellings -----------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION search_reports.join_key(served text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN translate(lower(served COLLATE "C"), ' _', '--');
COMMENT ON FUNCTION search_reports.join_key IS 'By which engines, places and languages of two datasets are compared: in lower case, with a hyphen for a space or an underscore, so that US NYC equals US-NYC.';

CREATE OR REPLACE VIEW search_reports.aliases WITH (security_barrier) AS
SELECT account_id, kind, spelling, meaning
  FROM searchmill.aliases
 WHERE (SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login);
COMMENT ON VIEW search_reports.aliases IS 'Spellings that mean the same (aliases in jobs.config.yaml). Summaries use the meaning; the rows of schema search keep what the service sent.';

CREATE OR REPLACE FUNCTION search_reports.aliases_of(account bigint) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(jsonb_object_agg(kind, spellings), '{}')
    FROM (SELECT kind, jsonb_object_agg(search_reports.join_key(spelling), meaning) AS spellings
            FROM search_reports.aliases WHERE account_id = account GROUP BY kind) AS kinds;
END;
COMMENT ON FUNCTION search_reports.aliases_of IS 'The aliases of an account: kind to spelling, in the form of join_key, to meaning.';

CREATE OR REPLACE FUNCTION search_reports.spelled(kind text, served text, aliases jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(aliases -> kind ->> search_reports.join_key(served), served);
COMMENT ON FUNCTION search_reports.spelled IS 'How summaries spell an engine, locode or language: the meaning of its alias, else as the service sent it. aliases: those of aliases_of.';
