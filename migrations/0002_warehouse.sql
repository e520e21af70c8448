-- The warehouse: seven tables that mirror the service's rows, in its order, under its names, with real types, then
-- Searchmill's own columns, each starting with "_". Range-partitioned by month of time_period_start; partitions are made
-- when the first row of a month is about to be published.
-- Guarantees: (account_id, time_period_start, _key, _occurrence) is unique, so publishing an answer again changes nothing.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

-- Keyword rankings --------------------------------------------------------------------------------------------------

CREATE TABLE search.keyword_rankings (
  account_id                  bigint NOT NULL,
  account_name                text,
  organization_id             text,
  organization_name           text,
  web_property_id             bigint,
  web_property_name           text,
  time_period_start           date NOT NULL,
  time_period_end             date,
  collection_date             date,
  search_engine_name          text,
  search_engine               text,
  search_engine_country_code  text,
  search_engine_language_code text,
  locode                      text,
  device                      text,
  query                       text,
  title                       text,
  normalized_url              text,
  root_domain                 text,
  subdomain                   text,
  result_type                 text,
  rank_standard               integer,
  rank_true                   integer,
  rank_result_type            integer,
  keyword_group_ids           text,
  keyword_group_names         text,
  average_search_volume       bigint,
  cpc                         double precision,
  competition                 double precision,
  approximate_search_volume   bigint,
  msv_month                   integer,
  _key                        uuid NOT NULL,
  _occurrence                 integer NOT NULL,
  _slice                      bigint NOT NULL,
  _loaded_at                  timestamptz NOT NULL,
  _changed_at                 timestamptz NOT NULL,
  _extra                      jsonb,
  PRIMARY KEY (account_id, time_period_start, _key, _occurrence)
) PARTITION BY RANGE (time_period_start);
COMMENT ON TABLE search.keyword_rankings IS 'One row per ranked result of a keyword, engine, location, device and week.';
COMMENT ON COLUMN search.keyword_rankings.account_id IS 'Account the row belongs to.';
COMMENT ON COLUMN search.keyword_rankings.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.keyword_rankings.organization_id IS 'Identifier of the organization that owns the account.';
COMMENT ON COLUMN search.keyword_rankings.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.keyword_rankings.web_property_id IS 'Web property (site) the keyword is tracked for.';
COMMENT ON COLUMN search.keyword_rankings.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.keyword_rankings.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.keyword_rankings.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.keyword_rankings.collection_date IS 'Day the ranking was collected.';
COMMENT ON COLUMN search.keyword_rankings.search_engine_name IS 'Display name of the search engine.';
COMMENT ON COLUMN search.keyword_rankings.search_engine IS 'Identifier of the search engine.';
COMMENT ON COLUMN search.keyword_rankings.search_engine_country_code IS 'Two-letter country the engine was queried for.';
COMMENT ON COLUMN search.keyword_rankings.search_engine_language_code IS 'Language the engine was queried in.';
COMMENT ON COLUMN search.keyword_rankings.locode IS 'Location code: a country, or a country with a city or region.';
COMMENT ON COLUMN search.keyword_rankings.device IS 'Device the search was made as, such as DESKTOP or SMARTPHONE.';
COMMENT ON COLUMN search.keyword_rankings.query IS 'The keyword that was searched.';
COMMENT ON COLUMN search.keyword_rankings.title IS 'Title of the ranked result.';
COMMENT ON COLUMN search.keyword_rankings.normalized_url IS 'URL of the ranked result, normalized by the service.';
COMMENT ON COLUMN search.keyword_rankings.root_domain IS 'Registrable domain of the result.';
COMMENT ON COLUMN search.keyword_rankings.subdomain IS 'Host name of the result.';
COMMENT ON COLUMN search.keyword_rankings.result_type IS 'Kind of result, such as STANDARD_LINK.';
COMMENT ON COLUMN search.keyword_rankings.rank_standard IS 'Rank among standard results; 1 is best.';
COMMENT ON COLUMN search.keyword_rankings.rank_true IS 'Rank among all results of the page; 1 is best.';
COMMENT ON COLUMN search.keyword_rankings.rank_result_type IS 'Rank among results of the same result_type; 1 is best.';
COMMENT ON COLUMN search.keyword_rankings.keyword_group_ids IS 'Identifiers of the keyword groups the keyword is in, separated by commas.';
COMMENT ON COLUMN search.keyword_rankings.keyword_group_names IS 'Names of the keyword groups the keyword is in, separated by commas.';
COMMENT ON COLUMN search.keyword_rankings.average_search_volume IS 'Average monthly searches over the last year.';
COMMENT ON COLUMN search.keyword_rankings.cpc IS 'Cost per click of the keyword in paid search.';
COMMENT ON COLUMN search.keyword_rankings.competition IS 'Competition for the keyword in paid search, 0 to 1.';
COMMENT ON COLUMN search.keyword_rankings.approximate_search_volume IS 'Approximate monthly searches.';
COMMENT ON COLUMN search.keyword_rankings.msv_month IS 'Month the search volume stands for, as the number YYYYMM.';
COMMENT ON COLUMN search.keyword_rankings._key IS 'Row key: first 128 bits of SHA-256 over the identity columns.';
COMMENT ON COLUMN search.keyword_rankings._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.keyword_rankings._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.keyword_rankings._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.keyword_rankings._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.keyword_rankings._extra IS 'Columns the service sent that this table does not have.';

CREATE VIEW search.keyword_rankings_arrays AS
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
       CASE WHEN keyword_group_ids ~ '^[0-9]{1,18}(,[0-9]{1,18})*$' THEN string_to_array(keyword_group_ids, ',')::bigint[] END AS keyword_group_ids,
       string_to_array(nullif(keyword_group_names, ''), ',') AS keyword_group_names,
       average_search_volume,
       cpc,
       competition,
       approximate_search_volume,
       msv_month
  FROM search.keyword_rankings;
COMMENT ON VIEW search.keyword_rankings_arrays IS 'search.keyword_rankings with keyword_group_ids and keyword_group_names as arrays.';

-- Highest ranking URL per keyword -----------------------------------------------------------------------------------

CREATE TABLE search.highest_ranking_url_per_keyword (
  account_id                  bigint NOT NULL,
  account_name                text,
  organization_id             text,
  organization_name           text,
  web_property_id             bigint,
  web_property_name           text,
  time_period_start           date NOT NULL,
  time_period_end             date,
  collection_date             date,
  search_engine_name          text,
  search_engine               text,
  search_engine_country_code  text,
  search_engine_language_code text,
  locode                      text,
  device                      text,
  query                       text,
  title                       text,
  normalized_url              text,
  root_domain                 text,
  subdomain                   text,
  result_type                 text,
  rank_standard               integer,
  rank_true                   integer,
  rank_result_type            integer,
  keyword_group_ids           text,
  keyword_group_names         text,
  average_search_volume       bigint,
  cpc                         double precision,
  competition                 double precision,
  approximate_search_volume   bigint,
  msv_month                   integer,
  _key                        uuid NOT NULL,
  _occurrence                 integer NOT NULL,
  _slice                      bigint NOT NULL,
  _loaded_at                  timestamptz NOT NULL,
  _changed_at                 timestamptz NOT NULL,
  _extra                      jsonb,
  PRIMARY KEY (account_id, time_period_start, _key, _occurrence)
) PARTITION BY RANGE (time_period_start);
COMMENT ON TABLE search.highest_ranking_url_per_keyword IS 'One row per keyword, domain, engine, location, device and week: its highest-ranking URL.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.account_id IS 'Account the row belongs to.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.organization_id IS 'Identifier of the organization that owns the account.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.web_property_id IS 'Web property (site) the keyword is tracked for.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.collection_date IS 'Day the ranking was collected.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.search_engine_name IS 'Display name of the search engine.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.search_engine IS 'Identifier of the search engine.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.search_engine_country_code IS 'Two-letter country the engine was queried for.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.search_engine_language_code IS 'Language the engine was queried in.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.locode IS 'Location code: a country, or a country with a city or region.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.device IS 'Device the search was made as, such as DESKTOP or SMARTPHONE.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.query IS 'The keyword that was searched.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.title IS 'Title of the ranked result.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.normalized_url IS 'URL of the ranked result, normalized by the service.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.root_domain IS 'Registrable domain of the result.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.subdomain IS 'Host name of the result.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.result_type IS 'Kind of result, such as STANDARD_LINK.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.rank_standard IS 'Rank among standard results; 1 is best.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.rank_true IS 'Rank among all results of the page; 1 is best.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.rank_result_type IS 'Rank among results of the same result_type; 1 is best.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.keyword_group_ids IS 'Identifiers of the keyword groups the keyword is in, separated by commas.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.keyword_group_names IS 'Names of the keyword groups the keyword is in, separated by commas.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.average_search_volume IS 'Average monthly searches over the last year.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.cpc IS 'Cost per click of the keyword in paid search.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.competition IS 'Competition for the keyword in paid search, 0 to 1.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.approximate_search_volume IS 'Approximate monthly searches.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.msv_month IS 'Month the search volume stands for, as the number YYYYMM.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword._key IS 'Row key: first 128 bits of SHA-256 over the identity columns.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword._extra IS 'Columns the service sent that this table does not have.';

CREATE VIEW search.highest_ranking_url_per_keyword_arrays AS
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
       CASE WHEN keyword_group_ids ~ '^[0-9]{1,18}(,[0-9]{1,18})*$' THEN string_to_array(keyword_group_ids, ',')::bigint[] END AS keyword_group_ids,
       string_to_array(nullif(keyword_group_names, ''), ',') AS keyword_group_names,
       average_search_volume,
       cpc,
       competition,
       approximate_search_volume,
       msv_month
  FROM search.highest_ranking_url_per_keyword;
COMMENT ON VIEW search.highest_ranking_url_per_keyword_arrays IS 'search.highest_ranking_url_per_keyword with keyword_group_ids and keyword_group_names as arrays.';

-- AI search brands --------------------------------------------------------------------------------------------------

CREATE TABLE search.ai_search_brands (
  organization_name            text,
  organization_id              text,
  account_name                 text,
  account_id                   bigint NOT NULL,
  web_property_name            text,
  web_property_id              bigint,
  time_period_start            date NOT NULL,
  time_period_end              date,
  collection_frequency         text,
  locode                       text,
  language                     text,
  ai_search_engine             text,
  topic                        text,
  prompt                       text,
  prompt_type                  text,
  intent                       text,
  persona                      text,
  brand_or_product_name        text,
  brand_or_product_entity_type text,
  brand_or_product_attribution text,
  ai_response_collected        boolean,
  web_search_triggered         boolean,
  prompt_group_names           text,
  _key                         uuid NOT NULL,
  _occurrence                  integer NOT NULL,
  _slice                       bigint NOT NULL,
  _loaded_at                   timestamptz NOT NULL,
  _changed_at                  timestamptz NOT NULL,
  _extra                       jsonb,
  PRIMARY KEY (account_id, time_period_start, _key, _occurrence)
) PARTITION BY RANGE (time_period_start);
COMMENT ON TABLE search.ai_search_brands IS 'One row per mention of one of the account''s own brands or products in an assistant''s answer to a prompt in a week.';
COMMENT ON COLUMN search.ai_search_brands.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.ai_search_brands.organization_id IS 'Identifier of the organization that owns the account.';
COMMENT ON COLUMN search.ai_search_brands.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.ai_search_brands.account_id IS 'Account the row belongs to.';
COMMENT ON COLUMN search.ai_search_brands.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.ai_search_brands.web_property_id IS 'Web property (site) the prompt is tracked for.';
COMMENT ON COLUMN search.ai_search_brands.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.ai_search_brands.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.ai_search_brands.collection_frequency IS 'How often the prompt is collected, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_brands.locode IS 'Location code: a country, or a country with a city or region.';
COMMENT ON COLUMN search.ai_search_brands.language IS 'Language the prompt was asked in.';
COMMENT ON COLUMN search.ai_search_brands.ai_search_engine IS 'AI assistant that was asked.';
COMMENT ON COLUMN search.ai_search_brands.topic IS 'Topic the prompt is filed under.';
COMMENT ON COLUMN search.ai_search_brands.prompt IS 'The question that was asked.';
COMMENT ON COLUMN search.ai_search_brands.prompt_type IS 'Kind of prompt: with or without a brand in it.';
COMMENT ON COLUMN search.ai_search_brands.intent IS 'Search intent the prompt stands for.';
COMMENT ON COLUMN search.ai_search_brands.persona IS 'Persona the prompt was asked as.';
COMMENT ON COLUMN search.ai_search_brands.brand_or_product_name IS 'Brand or product that was mentioned.';
COMMENT ON COLUMN search.ai_search_brands.brand_or_product_entity_type IS 'Whether the mention is of a brand or of a product.';
COMMENT ON COLUMN search.ai_search_brands.brand_or_product_attribution IS 'Whose brand it is, such as You or SEO Competitor.';
COMMENT ON COLUMN search.ai_search_brands.ai_response_collected IS 'Whether the assistant gave a response that was collected.';
COMMENT ON COLUMN search.ai_search_brands.web_search_triggered IS 'Whether the assistant searched the web to answer.';
COMMENT ON COLUMN search.ai_search_brands.prompt_group_names IS 'Names of the prompt groups the prompt is in, separated by commas.';
COMMENT ON COLUMN search.ai_search_brands._key IS 'Row key: first 128 bits of SHA-256 over the identity columns.';
COMMENT ON COLUMN search.ai_search_brands._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.ai_search_brands._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.ai_search_brands._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.ai_search_brands._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.ai_search_brands._extra IS 'Columns the service sent that this table does not have.';

CREATE VIEW search.ai_search_brands_arrays AS
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
       string_to_array(nullif(prompt_group_names, ''), ',') AS prompt_group_names
  FROM search.ai_search_brands;
COMMENT ON VIEW search.ai_search_brands_arrays IS 'search.ai_search_brands with prompt_group_names as an array.';

-- AI search citations -----------------------------------------------------------------------------------------------

CREATE TABLE search.ai_search_citations (
  organization_name             text,
  organization_id               text,
  account_name                  text,
  account_id                    bigint NOT NULL,
  web_property_name             text,
  web_property_id               bigint,
  time_period_start             date NOT NULL,
  time_period_end               date,
  collection_frequency          text,
  locode                        text,
  language                      text,
  ai_search_engine              text,
  topic                         text,
  prompt                        text,
  prompt_type                   text,
  intent                        text,
  persona                       text,
  citation_title                text,
  citation_url                  text,
  citation_domain               text,
  citation_web_property_segment text,
  citation_attribution          text,
  ai_response_collected         boolean,
  web_search_triggered          boolean,
  prompt_group_names            text,
  _key                          uuid NOT NULL,
  _occurrence                   integer NOT NULL,
  _slice                        bigint NOT NULL,
  _loaded_at                    timestamptz NOT NULL,
  _changed_at                   timestamptz NOT NULL,
  _extra                        jsonb,
  PRIMARY KEY (account_id, time_period_start, _key, _occurrence)
) PARTITION BY RANGE (time_period_start);
COMMENT ON TABLE search.ai_search_citations IS 'One row per page cited in an assistant''s answer to a prompt in a week.';
COMMENT ON COLUMN search.ai_search_citations.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.ai_search_citations.organization_id IS 'Identifier of the organization that owns the account.';
COMMENT ON COLUMN search.ai_search_citations.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.ai_search_citations.account_id IS 'Account the row belongs to.';
COMMENT ON COLUMN search.ai_search_citations.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.ai_search_citations.web_property_id IS 'Web property (site) the prompt is tracked for.';
COMMENT ON COLUMN search.ai_search_citations.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.ai_search_citations.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.ai_search_citations.collection_frequency IS 'How often the prompt is collected, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_citations.locode IS 'Location code: a country, or a country with a city or region.';
COMMENT ON COLUMN search.ai_search_citations.language IS 'Language the prompt was asked in.';
COMMENT ON COLUMN search.ai_search_citations.ai_search_engine IS 'AI assistant that was asked.';
COMMENT ON COLUMN search.ai_search_citations.topic IS 'Topic the prompt is filed under.';
COMMENT ON COLUMN search.ai_search_citations.prompt IS 'The question that was asked.';
COMMENT ON COLUMN search.ai_search_citations.prompt_type IS 'Kind of prompt: with or without a brand in it.';
COMMENT ON COLUMN search.ai_search_citations.intent IS 'Search intent the prompt stands for.';
COMMENT ON COLUMN search.ai_search_citations.persona IS 'Persona the prompt was asked as.';
COMMENT ON COLUMN search.ai_search_citations.citation_title IS 'Title of the cited page.';
COMMENT ON COLUMN search.ai_search_citations.citation_url IS 'URL of the cited page.';
COMMENT ON COLUMN search.ai_search_citations.citation_domain IS 'Domain of the cited page.';
COMMENT ON COLUMN search.ai_search_citations.citation_web_property_segment IS 'Segment of the web property the cited page is in.';
COMMENT ON COLUMN search.ai_search_citations.citation_attribution IS 'Whose page it is, such as You or SEO Competitor.';
COMMENT ON COLUMN search.ai_search_citations.ai_response_collected IS 'Whether the assistant gave a response that was collected.';
COMMENT ON COLUMN search.ai_search_citations.web_search_triggered IS 'Whether the assistant searched the web to answer.';
COMMENT ON COLUMN search.ai_search_citations.prompt_group_names IS 'Names of the prompt groups the prompt is in, separated by commas.';
COMMENT ON COLUMN search.ai_search_citations._key IS 'Row key: first 128 bits of SHA-256 over the identity columns.';
COMMENT ON COLUMN search.ai_search_citations._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.ai_search_citations._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.ai_search_citations._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.ai_search_citations._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.ai_search_citations._extra IS 'Columns the service sent that this table does not have.';

CREATE VIEW search.ai_search_citations_arrays AS
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
       string_to_array(nullif(prompt_group_names, ''), ',') AS prompt_group_names
  FROM search.ai_search_citations;
COMMENT ON VIEW search.ai_search_citations_arrays IS 'search.ai_search_citations with prompt_group_names as an array.';

-- AI search fan out -------------------------------------------------------------------------------------------------

CREATE TABLE search.ai_search_fan_out (
  organization_name      text,
  organization_id        text,
  account_name           text,
  account_id             bigint NOT NULL,
  web_property_name      text,
  web_property_id        bigint,
  time_period_start      date NOT NULL,
  time_period_end        date,
  collection_frequency   text,
  locode                 text,
  language               text,
  ai_search_engine       text,
  topic                  text,
  prompt                 text,
  prompt_type            text,
  intent                 text,
  persona                text,
  fan_out_query          text,
  fan_out_query_position integer,
  amount_of_searches     bigint,
  web_search             boolean,
  ai_response_received   boolean,
  prompt_group_names     text,
  _key                   uuid NOT NULL,
  _occurrence            integer NOT NULL,
  _slice                 bigint NOT NULL,
  _loaded_at             timestamptz NOT NULL,
  _changed_at            timestamptz NOT NULL,
  _extra                 jsonb,
  PRIMARY KEY (account_id, time_period_start, _key, _occurrence)
) PARTITION BY RANGE (time_period_start);
COMMENT ON TABLE search.ai_search_fan_out IS 'One row per sub-search (fan-out query) an assistant made to answer a prompt in a week.';
COMMENT ON COLUMN search.ai_search_fan_out.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.ai_search_fan_out.organization_id IS 'Identifier of the organization that owns the account.';
COMMENT ON COLUMN search.ai_search_fan_out.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.ai_search_fan_out.account_id IS 'Account the row belongs to.';
COMMENT ON COLUMN search.ai_search_fan_out.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.ai_search_fan_out.web_property_id IS 'Web property (site) the prompt is tracked for.';
COMMENT ON COLUMN search.ai_search_fan_out.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.ai_search_fan_out.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.ai_search_fan_out.collection_frequency IS 'How often the prompt is collected, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_fan_out.locode IS 'Location code: a country, or a country with a city or region.';
COMMENT ON COLUMN search.ai_search_fan_out.language IS 'Language the prompt was asked in.';
COMMENT ON COLUMN search.ai_search_fan_out.ai_search_engine IS 'AI assistant that was asked.';
COMMENT ON COLUMN search.ai_search_fan_out.topic IS 'Topic the prompt is filed under.';
COMMENT ON COLUMN search.ai_search_fan_out.prompt IS 'The question that was asked.';
COMMENT ON COLUMN search.ai_search_fan_out.prompt_type IS 'Kind of prompt: with or without a brand in it.';
COMMENT ON COLUMN search.ai_search_fan_out.intent IS 'Search intent the prompt stands for.';
COMMENT ON COLUMN search.ai_search_fan_out.persona IS 'Persona the prompt was asked as.';
COMMENT ON COLUMN search.ai_search_fan_out.fan_out_query IS 'The sub-search the assistant made.';
COMMENT ON COLUMN search.ai_search_fan_out.fan_out_query_position IS 'Position of the sub-search among those of the answer; 1 is first.';
COMMENT ON COLUMN search.ai_search_fan_out.amount_of_searches IS 'How many times the sub-search was made.';
COMMENT ON COLUMN search.ai_search_fan_out.web_search IS 'Whether the assistant searched the web.';
COMMENT ON COLUMN search.ai_search_fan_out.ai_response_received IS 'Whether the assistant gave a response.';
COMMENT ON COLUMN search.ai_search_fan_out.prompt_group_names IS 'Names of the prompt groups the prompt is in, separated by commas.';
COMMENT ON COLUMN search.ai_search_fan_out._key IS 'Row key: first 128 bits of SHA-256 over the identity columns.';
COMMENT ON COLUMN search.ai_search_fan_out._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.ai_search_fan_out._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.ai_search_fan_out._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.ai_search_fan_out._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.ai_search_fan_out._extra IS 'Columns the service sent that this table does not have.';

CREATE VIEW search.ai_search_fan_out_arrays AS
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
       string_to_array(nullif(prompt_group_names, ''), ',') AS prompt_group_names
  FROM search.ai_search_fan_out;
COMMENT ON VIEW search.ai_search_fan_out_arrays IS 'search.ai_search_fan_out with prompt_group_names as an array.';

-- AI search sentiments ----------------------------------------------------------------------------------------------

CREATE TABLE search.ai_search_sentiments (
  organization_name       text,
  organization_id         text,
  account_name            text,
  account_id              bigint NOT NULL,
  web_property_name       text,
  web_property_id         bigint,
  time_period_start       date NOT NULL,
  time_period_end         date,
  collection_frequency    text,
  locode                  text,
  language                text,
  ai_search_engine        text,
  topic                   text,
  prompt                  text,
  prompt_type             text,
  intent                  text,
  persona                 text,
  sentiment_brand         text,
  sentiment_value         text,
  sentiment_score         double precision,
  sentiment_category      text,
  sentiment_snippet       text,
  sentiment_source_url    text,
  sentiment_source_domain text,
  ai_response_collected   boolean,
  web_search_triggered    boolean,
  prompt_group_names      text,
  _key                    uuid NOT NULL,
  _occurrence             integer NOT NULL,
  _slice                  bigint NOT NULL,
  _loaded_at              timestamptz NOT NULL,
  _changed_at             timestamptz NOT NULL,
  _extra                  jsonb,
  PRIMARY KEY (account_id, time_period_start, _key, _occurrence)
) PARTITION BY RANGE (time_period_start);
COMMENT ON TABLE search.ai_search_sentiments IS 'One row per sentiment mention of a brand in an assistant''s answer to a prompt in a week.';
COMMENT ON COLUMN search.ai_search_sentiments.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.ai_search_sentiments.organization_id IS 'Identifier of the organization that owns the account.';
COMMENT ON COLUMN search.ai_search_sentiments.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.ai_search_sentiments.account_id IS 'Account the row belongs to.';
COMMENT ON COLUMN search.ai_search_sentiments.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.ai_search_sentiments.web_property_id IS 'Web property (site) the prompt is tracked for.';
COMMENT ON COLUMN search.ai_search_sentiments.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.ai_search_sentiments.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.ai_search_sentiments.collection_frequency IS 'How often the prompt is collected, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_sentiments.locode IS 'Location code: a country, or a country with a city or region.';
COMMENT ON COLUMN search.ai_search_sentiments.language IS 'Language the prompt was asked in.';
COMMENT ON COLUMN search.ai_search_sentiments.ai_search_engine IS 'AI assistant that was asked.';
COMMENT ON COLUMN search.ai_search_sentiments.topic IS 'Topic the prompt is filed under.';
COMMENT ON COLUMN search.ai_search_sentiments.prompt IS 'The question that was asked.';
COMMENT ON COLUMN search.ai_search_sentiments.prompt_type IS 'Kind of prompt: with or without a brand in it.';
COMMENT ON COLUMN search.ai_search_sentiments.intent IS 'Search intent the prompt stands for.';
COMMENT ON COLUMN search.ai_search_sentiments.persona IS 'Persona the prompt was asked as.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_brand IS 'Brand the sentiment is about.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_value IS 'The sentiment, such as positive or negative.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_score IS 'Strength of the sentiment.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_category IS 'What the sentiment is about, such as price or quality.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_snippet IS 'The words that carry the sentiment.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_source_url IS 'URL of the page the sentiment came from.';
COMMENT ON COLUMN search.ai_search_sentiments.sentiment_source_domain IS 'Domain of the page the sentiment came from.';
COMMENT ON COLUMN search.ai_search_sentiments.ai_response_collected IS 'Whether the assistant gave a response that was collected.';
COMMENT ON COLUMN search.ai_search_sentiments.web_search_triggered IS 'Whether the assistant searched the web to answer.';
COMMENT ON COLUMN search.ai_search_sentiments.prompt_group_names IS 'Names of the prompt groups the prompt is in, separated by commas.';
COMMENT ON COLUMN search.ai_search_sentiments._key IS 'Row key: first 128 bits of SHA-256 over the identity columns.';
COMMENT ON COLUMN search.ai_search_sentiments._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.ai_search_sentiments._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.ai_search_sentiments._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.ai_search_sentiments._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.ai_search_sentiments._extra IS 'Columns the service sent that this table does not have.';

CREATE VIEW search.ai_search_sentiments_arrays AS
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
       string_to_array(nullif(prompt_group_names, ''), ',') AS prompt_group_names
  FROM search.ai_search_sentiments;
COMMENT ON VIEW search.ai_search_sentiments_arrays IS 'search.ai_search_sentiments with prompt_group_names as an array.';

-- AI search response ------------------------------------------------------------------------------------------------

CREATE TABLE search.ai_search_response (
  organization_name    text,
  organization_id      text,
  account_name         text,
  account_id           bigint NOT NULL,
  web_property_name    text,
  web_property_id      bigint,
  collection_frequency text,
  time_period_start    date NOT NULL,
  time_period_end      date,
  locode               text,
  language             text,
  ai_search_engine_id  text,
  ai_search_engine     text,
  topic                text,
  prompt               text,
  intent               text,
  persona              text,
  ai_response          text,
  collection_date      date,
  prompt_group_names   text,
  _key                 uuid NOT NULL,
  _occurrence          integer NOT NULL,
  _slice               bigint NOT NULL,
  _loaded_at           timestamptz NOT NULL,
  _changed_at          timestamptz NOT NULL,
  _extra               jsonb,
  PRIMARY KEY (account_id, time_period_start, _key, _occurrence)
) PARTITION BY RANGE (time_period_start);
COMMENT ON TABLE search.ai_search_response IS 'One row per assistant''s full answer to a prompt in a week.';
COMMENT ON COLUMN search.ai_search_response.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.ai_search_response.organization_id IS 'Identifier of the organization that owns the account.';
COMMENT ON COLUMN search.ai_search_response.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.ai_search_response.account_id IS 'Account the row belongs to.';
COMMENT ON COLUMN search.ai_search_response.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.ai_search_response.web_property_id IS 'Web property (site) the prompt is tracked for.';
COMMENT ON COLUMN search.ai_search_response.collection_frequency IS 'How often the prompt is collected, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_response.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.ai_search_response.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.ai_search_response.locode IS 'Location code: a country, or a country with a city or region.';
COMMENT ON COLUMN search.ai_search_response.language IS 'Language the prompt was asked in.';
COMMENT ON COLUMN search.ai_search_response.ai_search_engine_id IS 'Identifier of the AI assistant that was asked.';
COMMENT ON COLUMN search.ai_search_response.ai_search_engine IS 'AI assistant that was asked.';
COMMENT ON COLUMN search.ai_search_response.topic IS 'Topic the prompt is filed under.';
COMMENT ON COLUMN search.ai_search_response.prompt IS 'The question that was asked.';
COMMENT ON COLUMN search.ai_search_response.intent IS 'Search intent the prompt stands for.';
COMMENT ON COLUMN search.ai_search_response.persona IS 'Persona the prompt was asked as.';
COMMENT ON COLUMN search.ai_search_response.ai_response IS 'The full answer.';
COMMENT ON COLUMN search.ai_search_response.collection_date IS 'Day the answer was collected.';
COMMENT ON COLUMN search.ai_search_response.prompt_group_names IS 'Names of the prompt groups the prompt is in, separated by commas.';
COMMENT ON COLUMN search.ai_search_response._key IS 'Row key: first 128 bits of SHA-256 over the identity columns.';
COMMENT ON COLUMN search.ai_search_response._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.ai_search_response._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.ai_search_response._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.ai_search_response._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.ai_search_response._extra IS 'Columns the service sent that this table does not have.';

CREATE VIEW search.ai_search_response_arrays AS
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
       string_to_array(nullif(prompt_group_names, ''), ',') AS prompt_group_names
  FROM search.ai_search_response;
COMMENT ON VIEW search.ai_search_response_arrays IS 'search.ai_search_response with prompt_group_names as an array.';
