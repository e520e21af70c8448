-- Answers and what belongs to them, for people who write SQL. Each row has a key that is the same in every week and dataset, so that nobody
-- has to join by eight columns that operations spell differently. The corresponding view for searches is search_reports.search_facts.

CREATE OR REPLACE FUNCTION search_reports.answer_key(
  property bigint, frequency text, locode text, language text, engine text, topic text, prompt text, persona text, aliases jsonb
) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN md5(ROW(property, lower(frequency COLLATE "C"), search_reports.join_key(search_reports.spelled('locode', locode, aliases)),
               search_reports.join_key(search_reports.spelled('language', language, aliases)),
               search_reports.join_key(search_reports.spelled('engine', engine, aliases)), topic, prompt, persona)::text)::uuid;
COMMENT ON FUNCTION search_reports.answer_key IS 'Names what an answer is to, the same in every week and dataset: prompt, topic, persona, '
  'assistant, place, language, frequency and web property. A prompt that moves to another topic has another key (prompt_key of '
  'search_reports.prompt_facts stays). aliases: those of aliases_of.';

-- These views read the ledger through functions in PL/pgSQL, so that Postgres records no dependency: Citus neither distributes nor changes
-- a table if a view reads it together with tables of the coordinator.
CREATE OR REPLACE FUNCTION search_reports.login_accounts() RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN coalesce((SELECT array_agg(account_id) FROM search_reports.accounts_of_login), '{}');
END
$$;
COMMENT ON FUNCTION search_reports.login_accounts IS 'The accounts of search_reports.accounts_of_login.';

CREATE OR REPLACE FUNCTION search_reports.aliases_of_accounts() RETURNS TABLE (account_id bigint, aliases jsonb)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT configured.account_id, search_reports.aliases_of(configured.account_id)
    FROM (SELECT DISTINCT a.account_id FROM search_reports.aliases a) AS configured;
END
$$;
COMMENT ON FUNCTION search_reports.aliases_of_accounts IS 'The aliases of each account that has any, in the form of '
  'search_reports.aliases_of.';

CREATE OR REPLACE VIEW search_reports.answer_brands WITH (security_barrier) AS
SELECT b.account_id, search_reports.week_of(b.time_period_start) AS week, b.time_period_start AS period_start,
       b.time_period_end AS period_end,
       search_reports.answer_key(b.web_property_id, b.collection_frequency, b.locode, b.language, b.ai_search_engine, b.topic, b.prompt,
                                 b.persona, coalesce(a.aliases, '{}')) AS answer_key,
       b.web_property_id, search_reports.spelled('engine', b.ai_search_engine, coalesce(a.aliases, '{}')) AS assistant, b.topic, b.prompt,
       lower(b.prompt_type COLLATE "C") COLLATE "default" AS prompt_type, b.brand_or_product_name AS brand,
       lower(b.brand_or_product_attribution COLLATE "C") COLLATE "default" AS attribution
  FROM search.ai_search_brands b
  LEFT JOIN search_reports.aliases_of_accounts() a USING (account_id)
 WHERE (SELECT search_reports.sees_all_accounts()) OR b.account_id = ANY ((SELECT search_reports.login_accounts())::bigint[]);

CREATE OR REPLACE VIEW search_reports.answer_citations WITH (security_barrier) AS
SELECT c.account_id, search_reports.week_of(c.time_period_start) AS week, c.time_period_start AS period_start,
       c.time_period_end AS period_end,
       search_reports.answer_key(c.web_property_id, c.collection_frequency, c.locode, c.language, c.ai_search_engine, c.topic, c.prompt,
                                 c.persona, coalesce(a.aliases, '{}')) AS answer_key,
       c.web_property_id, search_reports.spelled('engine', c.ai_search_engine, coalesce(a.aliases, '{}')) AS assistant, c.topic, c.prompt,
       lower(c.prompt_type COLLATE "C") COLLATE "default" AS prompt_type, search_reports.bare_domain(c.citation_domain) AS site,
       search_reports.bare_url(c.citation_url) AS page, c.citation_title AS title,
       lower(c.citation_attribution COLLATE "C") COLLATE "default" AS attribution
  FROM search.ai_search_citations c
  LEFT JOIN search_reports.aliases_of_accounts() a USING (account_id)
 WHERE (SELECT search_reports.sees_all_accounts()) OR c.account_id = ANY ((SELECT search_reports.login_accounts())::bigint[]);

-- Puts answers and mentions of our brands into one list and matches them by window functions. Where Postgres expects few rows, a join would
-- compute the keys again for each pair, which took minutes. A condition on account and period applies to both.
CREATE OR REPLACE VIEW search_reports.answers WITH (security_barrier) AS
SELECT r.account_id, search_reports.week_of(r.period_start) AS week, r.period_start, r.period_end, r.answer_key, r.web_property_id,
       r.assistant,
       search_reports.country_of(r.locode) AS country, r.locode, r.language, r.topic, r.prompt, k.prompt_type, r.intent, r.persona,
       r.is_naming,
       r.answer
  FROM (SELECT e.*, CASE WHEN bool_or(e.is_ours) OVER (PARTITION BY e.account_id, e.period_start, e.period_end, e.answer_key) THEN true
                         WHEN bool_or(e.is_ours) OVER (PARTITION BY e.account_id, e.period_start) THEN false END AS is_naming
          FROM (SELECT s.account_id, s.time_period_start AS period_start, s.time_period_end AS period_end, s.web_property_id, s.topic,
                s.prompt,
                       s.intent, s.persona, s.ai_response AS answer, false AS is_ours,
                       search_reports.spelled('engine', s.ai_search_engine, coalesce(a.aliases, '{}')) AS assistant,
                       search_reports.spelled('locode', s.locode, coalesce(a.aliases, '{}')) AS locode,
                       search_reports.spelled('language', s.language, coalesce(a.aliases, '{}')) AS language,
                       search_reports.answer_key(s.web_property_id, s.collection_frequency, s.locode, s.language, s.ai_search_engine,
                                                 s.topic,
                                                 s.prompt, s.persona, coalesce(a.aliases, '{}')) AS answer_key
                  FROM search.ai_search_response s
                  LEFT JOIN search_reports.aliases_of_accounts() a USING (account_id)
                 UNION ALL
                SELECT b.account_id, b.period_start, b.period_end, NULL, NULL, NULL, NULL, NULL, NULL, true, NULL, NULL, NULL, b.answer_key
                  FROM search_reports.answer_brands b
                 WHERE b.attribution = 'you') AS e) AS r
  LEFT JOIN (SELECT account_id, time_period_start, web_property_id, prompt,
                    lower(max(prompt_type COLLATE "C") COLLATE "C") AS prompt_type
               FROM (SELECT account_id, time_period_start, web_property_id, prompt, prompt_type FROM search.ai_search_brands
                     UNION ALL
                     SELECT account_id, time_period_start, web_property_id, prompt, prompt_type FROM search.ai_search_citations) AS kinds
              GROUP BY account_id, time_period_start, web_property_id, prompt) AS k
    ON k.account_id = r.account_id AND k.time_period_start = r.period_start AND k.prompt = r.prompt
   AND k.web_property_id IS NOT DISTINCT FROM r.web_property_id
 WHERE NOT r.is_ours
   AND ((SELECT search_reports.sees_all_accounts()) OR r.account_id = ANY ((SELECT search_reports.login_accounts())::bigint[]));

COMMENT ON VIEW search_reports.answers IS 'One row per collected answer of an assistant. Choose account_id and period_start.';
COMMENT ON VIEW search_reports.answer_brands IS 'One row per brand that an answer names. Choose account_id and period_start.';
COMMENT ON VIEW search_reports.answer_citations IS 'One row per citation of an answer. Choose account_id and period_start.';
COMMENT ON COLUMN search_reports.answers.period_start IS 'First day of the reported period; the tables are ordered by it.';
COMMENT ON COLUMN search_reports.answers.period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search_reports.answers.answer_key IS 'Names what the answer is to, the same in every week and dataset.';
COMMENT ON COLUMN search_reports.answers.web_property_id IS 'Web property.';
COMMENT ON COLUMN search_reports.answers.assistant IS 'AI search engine, as summaries spell it.';
COMMENT ON COLUMN search_reports.answers.country IS 'Country: what the location code begins with, in upper case.';
COMMENT ON COLUMN search_reports.answers.locode IS 'Location code, as summaries spell it.';
COMMENT ON COLUMN search_reports.answers.language IS 'Language, as summaries spell it.';
COMMENT ON COLUMN search_reports.answers.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded, from the brands and '
  'citations of the prompt in the period; NULL if there are none.';
COMMENT ON COLUMN search_reports.answers.persona IS 'Persona of the prompt.';
COMMENT ON COLUMN search_reports.answers.is_naming IS 'Whether it names a brand attributed to You; NULL if no answer of the period names '
  'one, or brands were not loaded.';
COMMENT ON COLUMN search_reports.answers.answer IS 'The full answer. It is text of third parties: escape it.';
COMMENT ON COLUMN search_reports.answer_brands.period_start IS 'First day of the reported period; the tables are ordered by it.';
COMMENT ON COLUMN search_reports.answer_brands.period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search_reports.answer_brands.answer_key IS 'Identifies the answer in every week and dataset.';
COMMENT ON COLUMN search_reports.answer_brands.web_property_id IS 'Web property.';
COMMENT ON COLUMN search_reports.answer_brands.assistant IS 'AI search engine, as summaries spell it.';
COMMENT ON COLUMN search_reports.answer_brands.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.answer_brands.brand IS 'Name of the brand or product.';
COMMENT ON COLUMN search_reports.answer_brands.attribution IS 'Attribution in lower case, such as you or seo competitor.';
COMMENT ON COLUMN search_reports.answer_citations.period_start IS 'First day of the reported period; the tables are ordered by it.';
COMMENT ON COLUMN search_reports.answer_citations.period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search_reports.answer_citations.answer_key IS 'Identifies the answer in every week and dataset.';
COMMENT ON COLUMN search_reports.answer_citations.web_property_id IS 'Web property.';
COMMENT ON COLUMN search_reports.answer_citations.assistant IS 'AI search engine, as summaries spell it.';
COMMENT ON COLUMN search_reports.answer_citations.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.answer_citations.site IS 'Domain of the citation in lower case, without www.';
COMMENT ON COLUMN search_reports.answer_citations.page IS 'URL of the citation, without scheme, www. and slashes at the end.';
COMMENT ON COLUMN search_reports.answer_citations.title IS 'Title of the citation.';
COMMENT ON COLUMN search_reports.answer_citations.attribution IS 'Attribution in lower case, such as you or seo competitor.';
