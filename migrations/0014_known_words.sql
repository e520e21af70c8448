-- What the tables say about themselves, and what their lists become in views, is what is known: no more than the specification of the
-- service, and what is publicly documented of it, says. And the number of rows that a week may lack, beside their share.
-- Guarantees: tables keep their rows, views their columns and types, and the grants on them. An item of a list is no longer made up:
-- names of keyword groups are NULL where they are not as many as the identifiers.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

ALTER TABLE searchmill.executions ADD COLUMN max_rejected_rows integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN searchmill.executions.max_rejected_rows IS 'So many quarantined rows are published without, whatever their share, while they are fewer than half.';

-- Lists ---------------------------------------------------------------------------------------------------------------

CREATE FUNCTION searchmill.list_items(list text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN list ~ '^\s*$' THEN '{}' ELSE regexp_split_to_array(regexp_replace(list, '^\s+|\s+$', '', 'g'), '\s*,\s*') END $$;
COMMENT ON FUNCTION searchmill.list_items IS 'The items of a list that is separated by commas, without blanks around them; empty for an empty text.';

CREATE OR REPLACE VIEW search.keyword_rankings_arrays AS
SELECT account_id,
       account_name,
       organization_id,
       organization_name,
       web_property_id,
       web_property_name,
       time_period_start,
       time_period_end,
       collection_date,
       search_engine_name,
       search_engine,
       search_engine_country_code,
       search_engine_language_code,
       locode,
       device,
       query,
       title,
       normalized_url,
       root_domain,
       subdomain,
       result_type,
       rank_standard,
       rank_true,
       rank_result_type,
       CASE WHEN keyword_group_ids ~ '^(\s*|\s*[0-9]{1,18}(\s*,\s*[0-9]{1,18})*\s*)$' THEN searchmill.list_items(keyword_group_ids)::bigint[] END AS keyword_group_ids,
       CASE WHEN cardinality(searchmill.list_items(keyword_group_names)) IN (0, cardinality(searchmill.list_items(keyword_group_ids)))
            THEN searchmill.list_items(keyword_group_names) END AS keyword_group_names,
       average_search_volume,
       cpc,
       competition,
       approximate_search_volume,
       msv_month
  FROM search.keyword_rankings;
COMMENT ON COLUMN search.keyword_rankings_arrays.keyword_group_ids IS 'Identifiers of keyword groups; NULL where the text is no list of integers.';
COMMENT ON COLUMN search.keyword_rankings_arrays.keyword_group_names IS 'Names of keyword groups without blanks around them; NULL where they are not as many as the identifiers, since then a name holds a comma and nobody can tell where names end.';

CREATE OR REPLACE VIEW search.highest_ranking_url_per_keyword_arrays AS
SELECT account_id,
       account_name,
       organization_id,
       organization_name,
       web_property_id,
       web_property_name,
       time_period_start,
       time_period_end,
       collection_date,
       search_engine_name,
       search_engine,
       search_engine_country_code,
       search_engine_language_code,
       locode,
       device,
       query,
       title,
       normalized_url,
       root_domain,
       subdomain,
       result_type,
       rank_standard,
       rank_true,
       rank_result_type,
       CASE WHEN keyword_group_ids ~ '^(\s*|\s*[0-9]{1,18}(\s*,\s*[0-9]{1,18})*\s*)$' THEN searchmill.list_items(keyword_group_ids)::bigint[] END AS keyword_group_ids,
       CASE WHEN cardinality(searchmill.list_items(keyword_group_names)) IN (0, cardinality(searchmill.list_items(keyword_group_ids)))
            THEN searchmill.list_items(keyword_group_names) END AS keyword_group_names,
       average_search_volume,
       cpc,
       competition,
       approximate_search_volume,
       msv_month
  FROM search.highest_ranking_url_per_keyword;
COMMENT ON COLUMN search.highest_ranking_url_per_keyword_arrays.keyword_group_ids IS 'Identifiers of keyword groups; NULL where the text is no list of integers.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword_arrays.keyword_group_names IS 'Names of keyword groups without blanks around them; NULL where they are not as many as the identifiers, since then a name holds a comma and nobody can tell where names end.';

CREATE OR REPLACE VIEW search.ai_search_brands_arrays AS
SELECT organization_name,
       organization_id,
       account_name,
       account_id,
       web_property_name,
       web_property_id,
       time_period_start,
       time_period_end,
       collection_frequency,
       locode,
       language,
       ai_search_engine,
       topic,
       prompt,
       prompt_type,
       intent,
       persona,
       brand_or_product_name,
       brand_or_product_entity_type,
       brand_or_product_attribution,
       ai_response_collected,
       web_search_triggered,
       searchmill.list_items(prompt_group_names) AS prompt_group_names
  FROM search.ai_search_brands;
COMMENT ON COLUMN search.ai_search_brands_arrays.prompt_group_names IS 'Names of prompt groups without blanks around them. There are no identifiers to compare them with: a name that holds a comma is several items here.';

CREATE OR REPLACE VIEW search.ai_search_citations_arrays AS
SELECT organization_name,
       organization_id,
       account_name,
       account_id,
       web_property_name,
       web_property_id,
       time_period_start,
       time_period_end,
       collection_frequency,
       locode,
       language,
       ai_search_engine,
       topic,
       prompt,
       prompt_type,
       intent,
       persona,
       citation_title,
       citation_url,
       citation_domain,
       citation_web_property_segment,
       citation_attribution,
       ai_response_collected,
       web_search_triggered,
       searchmill.list_items(prompt_group_names) AS prompt_group_names
  FROM search.ai_search_citations;
COMMENT ON COLUMN search.ai_search_citations_arrays.prompt_group_names IS 'Names of prompt groups without blanks around them. There are no identifiers to compare them with: a name that holds a comma is several items here.';

CREATE OR REPLACE VIEW search.ai_search_fan_out_arrays AS
SELECT organization_name,
       organization_id,
       account_name,
       account_id,
       web_property_name,
       web_property_id,
       time_period_start,
       time_period_end,
       collection_frequency,
       locode,
       language,
       ai_search_engine,
       topic,
       prompt,
       prompt_type,
       intent,
       persona,
       fan_out_query,
       fan_out_query_position,
       amount_of_searches,
       web_search,
       ai_response_received,
       searchmill.list_items(prompt_group_names) AS prompt_group_names
  FROM search.ai_search_fan_out;
COMMENT ON COLUMN search.ai_search_fan_out_arrays.prompt_group_names IS 'Names of prompt groups without blanks around them. There are no identifiers to compare them with: a name that holds a comma is several items here.';

CREATE OR REPLACE VIEW search.ai_search_sentiments_arrays AS
SELECT organization_name,
       organization_id,
       account_name,
       account_id,
       web_property_name,
       web_property_id,
       time_period_start,
       time_period_end,
       collection_frequency,
       locode,
       language,
       ai_search_engine,
       topic,
       prompt,
       prompt_type,
       intent,
       persona,
       sentiment_brand,
       sentiment_value,
       sentiment_score,
       sentiment_category,
       sentiment_snippet,
       sentiment_source_url,
       sentiment_source_domain,
       ai_response_collected,
       web_search_triggered,
       searchmill.list_items(prompt_group_names) AS prompt_group_names
  FROM search.ai_search_sentiments;
COMMENT ON COLUMN search.ai_search_sentiments_arrays.prompt_group_names IS 'Names of prompt groups without blanks around them. There are no identifiers to compare them with: a name that holds a comma is several items here.';

CREATE OR REPLACE VIEW search.ai_search_response_arrays AS
SELECT organization_name,
       organization_id,
       account_name,
       account_id,
       web_property_name,
       web_property_id,
       collection_frequency,
       time_period_start,
       time_period_end,
       locode,
       language,
       ai_search_engine_id,
       ai_search_engine,
       topic,
       prompt,
       intent,
       persona,
       ai_response,
       collection_date,
       searchmill.list_items(prompt_group_names) AS prompt_group_names
  FROM search.ai_search_response;
COMMENT ON COLUMN search.ai_search_response_arrays.prompt_group_names IS 'Names of prompt groups without blanks around them. There are no identifiers to compare them with: a name that holds a comma is several items here.';

-- Comments ------------------------------------------------------------------------------------------------------------

COMMENT ON TABLE search.keyword_rankings IS 'One row per ranked result.';
COMMENT ON COLUMN search.keyword_rankings.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.keyword_rankings.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.keyword_rankings.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.keyword_rankings.collection_date IS 'Day of collection.';
COMMENT ON COLUMN search.keyword_rankings.search_engine_name IS 'Name of the search engine, such as GOOGLE_EN_US; the specification does not say how it differs from search_engine.';
COMMENT ON COLUMN search.keyword_rankings.search_engine IS 'Search engine, such as GOOGLE; the specification does not say how it differs from search_engine_name.';
COMMENT ON COLUMN search.keyword_rankings.search_engine_country_code IS 'Country code of the search engine.';
COMMENT ON COLUMN search.keyword_rankings.search_engine_language_code IS 'Language code of the search engine.';
COMMENT ON COLUMN search.keyword_rankings.device IS 'Device, such as DESKTOP or SMARTPHONE.';
COMMENT ON COLUMN search.keyword_rankings.query IS 'The keyword.';
COMMENT ON COLUMN search.keyword_rankings.root_domain IS 'Root domain of the result.';
COMMENT ON COLUMN search.keyword_rankings.subdomain IS 'Subdomain of the result.';
COMMENT ON COLUMN search.keyword_rankings.rank_standard IS 'Standard rank; the specification does not say how it is counted.';
COMMENT ON COLUMN search.keyword_rankings.rank_true IS 'True rank; the specification does not say how it is counted.';
COMMENT ON COLUMN search.keyword_rankings.rank_result_type IS 'Rank by result type; the specification does not say how it is counted.';
COMMENT ON COLUMN search.keyword_rankings.keyword_group_ids IS 'Identifiers of keyword groups, separated by commas.';
COMMENT ON COLUMN search.keyword_rankings.keyword_group_names IS 'Names of keyword groups, separated by commas; a name may hold a comma itself.';
COMMENT ON COLUMN search.keyword_rankings.average_search_volume IS 'Average search volume; the specification does not say over which time.';
COMMENT ON COLUMN search.keyword_rankings.cpc IS 'Cost per click; the specification does not say in which currency.';
COMMENT ON COLUMN search.keyword_rankings.competition IS 'Competition; the specification does not say in which range.';
COMMENT ON COLUMN search.keyword_rankings.approximate_search_volume IS 'Approximate search volume; the specification does not say over which time.';
COMMENT ON COLUMN search.keyword_rankings.msv_month IS 'Year and month of the search volume (msv), as the number YYYYMM.';

COMMENT ON TABLE search.highest_ranking_url_per_keyword IS 'One row per highest-ranking URL of a keyword, derived from the keyword rankings.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.collection_date IS 'Day of collection.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.search_engine_name IS 'Name of the search engine, such as GOOGLE_EN_US; the specification does not say how it differs from search_engine.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.search_engine IS 'Search engine, such as GOOGLE; the specification does not say how it differs from search_engine_name.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.search_engine_country_code IS 'Country code of the search engine.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.search_engine_language_code IS 'Language code of the search engine.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.device IS 'Device, such as DESKTOP or SMARTPHONE.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.query IS 'The keyword.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.root_domain IS 'Root domain of the result.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.subdomain IS 'Subdomain of the result.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.rank_standard IS 'Standard rank; the specification does not say how it is counted.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.rank_true IS 'True rank; the specification does not say how it is counted.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.rank_result_type IS 'Rank by result type; the specification does not say how it is counted.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.keyword_group_ids IS 'Identifiers of keyword groups, separated by commas.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.keyword_group_names IS 'Names of keyword groups, separated by commas; a name may hold a comma itself.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.average_search_volume IS 'Average search volume; the specification does not say over which time.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.cpc IS 'Cost per click; the specification does not say in which currency.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.competition IS 'Competition; the specification does not say in which range.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.approximate_search_volume IS 'Approximate search volume; the specification does not say over which time.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.msv_month IS 'Year and month of the search volume (msv), as the number YYYYMM.';

COMMENT ON TABLE search.ai_search_brands IS 'One row per brand mention; only the account''s own brand entities.';
COMMENT ON COLUMN search.ai_search_brands.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.ai_search_brands.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.ai_search_brands.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.ai_search_brands.collection_frequency IS 'Collection frequency, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_brands.language IS 'Language.';
COMMENT ON COLUMN search.ai_search_brands.ai_search_engine IS 'AI search engine.';
COMMENT ON COLUMN search.ai_search_brands.topic IS 'Topic of the prompt.';
COMMENT ON COLUMN search.ai_search_brands.prompt IS 'The prompt.';
COMMENT ON COLUMN search.ai_search_brands.prompt_type IS 'Kind of prompt, such as branded or unbranded.';
COMMENT ON COLUMN search.ai_search_brands.intent IS 'Intent of the prompt.';
COMMENT ON COLUMN search.ai_search_brands.persona IS 'Persona.';
COMMENT ON COLUMN search.ai_search_brands.brand_or_product_name IS 'Name of the brand or product.';
COMMENT ON COLUMN search.ai_search_brands.brand_or_product_entity_type IS 'Entity type of the brand or product.';
COMMENT ON COLUMN search.ai_search_brands.brand_or_product_attribution IS 'Attribution of the brand or product, such as You or SEO Competitor; upper and lower case may vary.';
COMMENT ON COLUMN search.ai_search_brands.ai_response_collected IS 'Whether an AI response was collected.';
COMMENT ON COLUMN search.ai_search_brands.web_search_triggered IS 'Whether a web search was triggered.';
COMMENT ON COLUMN search.ai_search_brands.prompt_group_names IS 'Names of prompt groups, separated by commas; a name may hold a comma itself.';

COMMENT ON TABLE search.ai_search_citations IS 'One row per citation.';
COMMENT ON COLUMN search.ai_search_citations.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.ai_search_citations.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.ai_search_citations.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.ai_search_citations.collection_frequency IS 'Collection frequency, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_citations.language IS 'Language.';
COMMENT ON COLUMN search.ai_search_citations.ai_search_engine IS 'AI search engine.';
COMMENT ON COLUMN search.ai_search_citations.topic IS 'Topic of the prompt.';
COMMENT ON COLUMN search.ai_search_citations.prompt IS 'The prompt.';
COMMENT ON COLUMN search.ai_search_citations.prompt_type IS 'Kind of prompt, such as branded or unbranded.';
COMMENT ON COLUMN search.ai_search_citations.intent IS 'Intent of the prompt.';
COMMENT ON COLUMN search.ai_search_citations.persona IS 'Persona.';
COMMENT ON COLUMN search.ai_search_citations.citation_title IS 'Title of the citation.';
COMMENT ON COLUMN search.ai_search_citations.citation_url IS 'URL of the citation.';
COMMENT ON COLUMN search.ai_search_citations.citation_domain IS 'Domain of the citation.';
COMMENT ON COLUMN search.ai_search_citations.citation_web_property_segment IS 'Web property segment of the citation.';
COMMENT ON COLUMN search.ai_search_citations.citation_attribution IS 'Attribution of the citation, such as You or SEO Competitor; upper and lower case may vary.';
COMMENT ON COLUMN search.ai_search_citations.ai_response_collected IS 'Whether an AI response was collected.';
COMMENT ON COLUMN search.ai_search_citations.web_search_triggered IS 'Whether a web search was triggered.';
COMMENT ON COLUMN search.ai_search_citations.prompt_group_names IS 'Names of prompt groups, separated by commas; a name may hold a comma itself.';

COMMENT ON TABLE search.ai_search_fan_out IS 'One row per fan-out (sub-search) query.';
COMMENT ON COLUMN search.ai_search_fan_out.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.ai_search_fan_out.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.ai_search_fan_out.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.ai_search_fan_out.collection_frequency IS 'Collection frequency, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_fan_out.language IS 'Language.';
COMMENT ON COLUMN search.ai_search_fan_out.ai_search_engine IS 'AI search engine.';
COMMENT ON COLUMN search.ai_search_fan_out.topic IS 'Topic of the prompt.';
COMMENT ON COLUMN search.ai_search_fan_out.prompt IS 'The prompt.';
COMMENT ON COLUMN search.ai_search_fan_out.prompt_type IS 'Kind of prompt, such as branded or unbranded.';
COMMENT ON COLUMN search.ai_search_fan_out.intent IS 'Intent of the prompt.';
COMMENT ON COLUMN search.ai_search_fan_out.persona IS 'Persona.';
COMMENT ON COLUMN search.ai_search_fan_out.fan_out_query IS 'The fan-out (sub-search) query.';
COMMENT ON COLUMN search.ai_search_fan_out.fan_out_query_position IS 'Position of the fan-out query; the specification does not say among which.';
COMMENT ON COLUMN search.ai_search_fan_out.amount_of_searches IS 'Amount of searches; the specification does not say of what.';
COMMENT ON COLUMN search.ai_search_fan_out.web_search IS 'Whether there was a web search.';
COMMENT ON COLUMN search.ai_search_fan_out.ai_response_received IS 'Whether an AI response was received.';
COMMENT ON COLUMN search.ai_search_fan_out.prompt_group_names IS 'Names of prompt groups, separated by commas; a name may hold a comma itself.';

COMMENT ON TABLE search.ai_search_sentiments IS 'One row per sentiment mention for a brand within an AI response, with an optional snippet and its source.';
COMMENT ON COLUMN search.ai_search_sentiments.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.ai_search_sentiments.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.ai_search_sentiments.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.ai_search_sentiments.collection_frequency IS 'Collection frequency, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_sentiments.language IS 'Language.';
COMMENT ON COLUMN search.ai_search_sentiments.ai_search_engine IS 'AI search engine.';
COMMENT ON COLUMN search.ai_search_sentiments.topic IS 'Topic of the prompt.';
COMMENT ON COLUMN search.ai_search_sentiments.prompt IS 'The prompt.';
COMMENT ON COLUMN search.ai_search_sentiments.prompt_type IS 'Kind of prompt, such as branded or unbranded.';
COMMENT ON COLUMN search.ai_search_sentiments.intent IS 'Intent of the prompt.';
COMMENT ON COLUMN search.ai_search_sentiments.persona IS 'Persona.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_brand IS 'Brand of the sentiment mention.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_value IS 'The sentiment; its words are not specified.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_score IS 'Score of the sentiment; not limited to a range.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_category IS 'Category of the sentiment.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_snippet IS 'Snippet of the mention, where there is one.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_source_url IS 'URL of the source.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_source_domain IS 'Domain of the source.';
COMMENT ON COLUMN search.ai_search_sentiments.ai_response_collected IS 'Whether an AI response was collected.';
COMMENT ON COLUMN search.ai_search_sentiments.web_search_triggered IS 'Whether a web search was triggered.';
COMMENT ON COLUMN search.ai_search_sentiments.prompt_group_names IS 'Names of prompt groups, separated by commas; a name may hold a comma itself.';

COMMENT ON TABLE search.ai_search_response IS 'One row per AI response, in full.';
COMMENT ON COLUMN search.ai_search_response.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.ai_search_response.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.ai_search_response.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.ai_search_response.collection_frequency IS 'Collection frequency, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_response.language IS 'Language.';
COMMENT ON COLUMN search.ai_search_response.ai_search_engine_id IS 'Identifier of the AI search engine.';
COMMENT ON COLUMN search.ai_search_response.ai_search_engine IS 'AI search engine.';
COMMENT ON COLUMN search.ai_search_response.topic IS 'Topic of the prompt.';
COMMENT ON COLUMN search.ai_search_response.prompt IS 'The prompt.';
COMMENT ON COLUMN search.ai_search_response.intent IS 'Intent of the prompt.';
COMMENT ON COLUMN search.ai_search_response.persona IS 'Persona.';
COMMENT ON COLUMN search.ai_search_response.ai_response IS 'The full AI response.';
COMMENT ON COLUMN search.ai_search_response.collection_date IS 'Day of collection.';
COMMENT ON COLUMN search.ai_search_response.prompt_group_names IS 'Names of prompt groups, separated by commas; a name may hold a comma itself.';
