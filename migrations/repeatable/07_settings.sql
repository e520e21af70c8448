-- What jobs.config.yaml says of an account: which domains are its own, its competitors, and what is spelled in several ways.

-- Own domains ---------------------------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW search_reports.own_domains WITH (security_barrier) AS
SELECT account_id, domain, source
  FROM searchmill.own_domains
 WHERE (SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login);
COMMENT ON VIEW search_reports.own_domains IS 'Domains of the account itself: those that its jobs are configured with, else those of citations attributed to You.';

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
   -- What lies below another one matches already.
   WHERE NOT EXISTS (SELECT FROM counted above WHERE right(o.domain, length(above.domain) + 1) = '.' || above.domain);
END;
COMMENT ON FUNCTION search_reports.own_patterns IS 'Patterns of LIKE for the own domains of an account: one matches a domain with a point before it when it is an own one or lies below one.';

CREATE OR REPLACE FUNCTION search_reports.is_own(subdomain text, root_domain text, patterns text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce('.' || lower(subdomain COLLATE "C") LIKE ANY (patterns), false)
    OR coalesce('.' || lower(root_domain COLLATE "C") LIKE ANY (patterns), false);
COMMENT ON FUNCTION search_reports.is_own IS 'Whether a result is an own one: its subdomain or its root domain matches a pattern of own_patterns.';

CREATE OR REPLACE FUNCTION search_reports.bare_domain(domain text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(regexp_replace(lower(domain COLLATE "C"), '^www\.(?=.+\.)', ''), 253);
COMMENT ON FUNCTION search_reports.bare_domain IS 'A domain in lower case, without www., which is only taken from what has another point: www.com stays; at most 253 characters, as domains have.';

CREATE OR REPLACE FUNCTION search_reports.bare_url(url text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN rtrim(regexp_replace(url, '^([a-z]+://)?(www\.)?', '', 'i'), '/');
COMMENT ON FUNCTION search_reports.bare_url IS 'A page, as all figures tell pages apart: its URL without scheme, www. and slashes at the end.';

CREATE OR REPLACE FUNCTION search_reports.host_of(bare_url text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(substring(bare_url FROM '^[^/?#:]+'));
COMMENT ON FUNCTION search_reports.host_of IS 'The host of a page, given as search_reports.bare_url makes it, in lower case.';

-- Competitors ---------------------------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW search_reports.competitors WITH (security_barrier) AS
SELECT account_id, domain
  FROM searchmill.competitors
 WHERE (SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login);
COMMENT ON VIEW search_reports.competitors IS 'Sites of competitors that the jobs of an account are configured with (competitors in jobs.config.yaml). An account without any has those that citations attribute to SEO Competitor.';

CREATE OR REPLACE FUNCTION search_reports.competitor_patterns(account bigint, pinned text[] DEFAULT NULL) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(array_agg('%.' || regexp_replace(domain, '([\\%_])', '\\\1', 'g') ORDER BY domain COLLATE "C"), '{}')
    FROM (SELECT domain FROM search_reports.competitors WHERE account_id = account UNION SELECT unnest(pinned)) AS known;
END;
COMMENT ON FUNCTION search_reports.competitor_patterns IS 'Patterns of LIKE for the competitors that the jobs of an account pin, and for others that are pinned beside them: one matches a site with a point before it when it is one of them or lies below one.';

-- Spellings -----------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION search_reports.join_key(served text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN translate(lower(served COLLATE "C"), ' _', '--');
COMMENT ON FUNCTION search_reports.join_key IS 'What engines, places and languages of two datasets are compared by: without case, and a space or an underscore is a hyphen, so that US NYC is US-NYC.';

CREATE OR REPLACE VIEW search_reports.aliases WITH (security_barrier) AS
SELECT account_id, kind, spelling, meaning
  FROM searchmill.aliases
 WHERE (SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login);
COMMENT ON VIEW search_reports.aliases IS 'What is spelled in two ways and means one thing (aliases in jobs.config.yaml). Summaries have the meaning; the rows of schema search stay as served.';

CREATE OR REPLACE FUNCTION search_reports.aliases_of(account bigint) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(jsonb_object_agg(kind, spellings), '{}')
    FROM (SELECT kind, jsonb_object_agg(search_reports.join_key(spelling), meaning) AS spellings
            FROM search_reports.aliases WHERE account_id = account GROUP BY kind) AS kinds;
END;
COMMENT ON FUNCTION search_reports.aliases_of IS 'The aliases of an account: kind to spelling, as join_key makes it, to meaning.';

CREATE OR REPLACE FUNCTION search_reports.spelled(kind text, served text, aliases jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(aliases -> kind ->> search_reports.join_key(served), served);
COMMENT ON FUNCTION search_reports.spelled IS 'An engine, locode or language as summaries call it: what an alias says it means, else as served. aliases: those of aliases_of.';
