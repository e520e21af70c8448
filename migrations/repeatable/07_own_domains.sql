-- Own domains: which results, sites and pages are the account's own.

CREATE OR REPLACE VIEW search_reports.own_domains WITH (security_barrier) AS
SELECT account_id, domain, source
  FROM searchmill.own_domains
 WHERE (SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login);
COMMENT ON VIEW search_reports.own_domains IS 'Domains of the account itself: those that its jobs are configured with, else those of citations attributed to You.';
COMMENT ON COLUMN search_reports.own_domains.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.own_domains.domain IS 'Domain in lower case, without www.';
COMMENT ON COLUMN search_reports.own_domains.source IS 'configured (own_domains in jobs.config.yaml) or cited. Cited ones count where none is configured.';

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
