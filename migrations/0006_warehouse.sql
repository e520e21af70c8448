-- The warehouse: tables that mirror the service's rows, in its order, under its names, with real types, then Searchmill's own columns,
-- each starting with "_". Range-partitioned by month of time_period_start; partitions are made when the first row of a month is about to
-- be published.
-- Generated from src/datasets by "npm run generate".
-- Guarantees: (account_id, time_period_start, _key, _occurrence) is unique, so publishing an answer again changes nothing.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

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
COMMENT ON TABLE search.keyword_rankings IS 'One row per ranked result.';
COMMENT ON COLUMN search.keyword_rankings.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.keyword_rankings.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.keyword_rankings.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.keyword_rankings.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.keyword_rankings.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.keyword_rankings.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.keyword_rankings.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.keyword_rankings.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.keyword_rankings.collection_date IS 'Day of collection.';
COMMENT ON COLUMN search.keyword_rankings.search_engine_name IS 'Name of the search engine, such as GOOGLE_EN_US; the specification does not say how it differs from search_engine.';
COMMENT ON COLUMN search.keyword_rankings.search_engine IS 'Search engine, such as GOOGLE; the specification does not say how it differs from search_engine_name.';
COMMENT ON COLUMN search.keyword_rankings.search_engine_country_code IS 'Country code of the search engine.';
COMMENT ON COLUMN search.keyword_rankings.search_engine_language_code IS 'Language code of the search engine.';
COMMENT ON COLUMN search.keyword_rankings.locode IS 'Location code: a country, or a country with a city or region.';
COMMENT ON COLUMN search.keyword_rankings.device IS 'Device, such as DESKTOP or SMARTPHONE.';
COMMENT ON COLUMN search.keyword_rankings.query IS 'The keyword.';
COMMENT ON COLUMN search.keyword_rankings.title IS 'Title of the ranked result.';
COMMENT ON COLUMN search.keyword_rankings.normalized_url IS 'URL of the ranked result, normalized by the service.';
COMMENT ON COLUMN search.keyword_rankings.root_domain IS 'Root domain of the result.';
COMMENT ON COLUMN search.keyword_rankings.subdomain IS 'Subdomain of the result.';
COMMENT ON COLUMN search.keyword_rankings.result_type IS 'Kind of result, such as STANDARD_LINK.';
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
COMMENT ON COLUMN search.keyword_rankings._key IS 'Row key: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
COMMENT ON COLUMN search.keyword_rankings._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.keyword_rankings._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.keyword_rankings._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.keyword_rankings._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.keyword_rankings._extra IS 'Columns the service sent that this table does not have.';

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
COMMENT ON TABLE search.highest_ranking_url_per_keyword IS 'One row per highest-ranking URL of a keyword, derived from the keyword rankings.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.collection_date IS 'Day of collection.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.search_engine_name IS 'Name of the search engine, such as GOOGLE_EN_US; the specification does not say how it differs from search_engine.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.search_engine IS 'Search engine, such as GOOGLE; the specification does not say how it differs from search_engine_name.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.search_engine_country_code IS 'Country code of the search engine.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.search_engine_language_code IS 'Language code of the search engine.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.locode IS 'Location code: a country, or a country with a city or region.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.device IS 'Device, such as DESKTOP or SMARTPHONE.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.query IS 'The keyword.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.title IS 'Title of the ranked result.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.normalized_url IS 'URL of the ranked result, normalized by the service.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.root_domain IS 'Root domain of the result.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.subdomain IS 'Subdomain of the result.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword.result_type IS 'Kind of result, such as STANDARD_LINK.';
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
COMMENT ON COLUMN search.highest_ranking_url_per_keyword._key IS 'Row key: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword._extra IS 'Columns the service sent that this table does not have.';

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
COMMENT ON TABLE search.ai_search_brands IS 'One row per brand mention; only the account''s own brand entities.';
COMMENT ON COLUMN search.ai_search_brands.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.ai_search_brands.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.ai_search_brands.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.ai_search_brands.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.ai_search_brands.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.ai_search_brands.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.ai_search_brands.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.ai_search_brands.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.ai_search_brands.collection_frequency IS 'Collection frequency, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_brands.locode IS 'Location code: a country, or a country with a city or region.';
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
COMMENT ON COLUMN search.ai_search_brands._key IS 'Row key: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
COMMENT ON COLUMN search.ai_search_brands._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.ai_search_brands._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.ai_search_brands._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.ai_search_brands._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.ai_search_brands._extra IS 'Columns the service sent that this table does not have.';

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
COMMENT ON TABLE search.ai_search_citations IS 'One row per citation.';
COMMENT ON COLUMN search.ai_search_citations.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.ai_search_citations.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.ai_search_citations.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.ai_search_citations.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.ai_search_citations.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.ai_search_citations.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.ai_search_citations.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.ai_search_citations.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.ai_search_citations.collection_frequency IS 'Collection frequency, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_citations.locode IS 'Location code: a country, or a country with a city or region.';
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
COMMENT ON COLUMN search.ai_search_citations._key IS 'Row key: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
COMMENT ON COLUMN search.ai_search_citations._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.ai_search_citations._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.ai_search_citations._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.ai_search_citations._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.ai_search_citations._extra IS 'Columns the service sent that this table does not have.';

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
COMMENT ON TABLE search.ai_search_fan_out IS 'One row per fan-out (sub-search) query.';
COMMENT ON COLUMN search.ai_search_fan_out.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.ai_search_fan_out.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.ai_search_fan_out.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.ai_search_fan_out.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.ai_search_fan_out.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.ai_search_fan_out.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.ai_search_fan_out.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.ai_search_fan_out.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.ai_search_fan_out.collection_frequency IS 'Collection frequency, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_fan_out.locode IS 'Location code: a country, or a country with a city or region.';
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
COMMENT ON COLUMN search.ai_search_fan_out._key IS 'Row key: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
COMMENT ON COLUMN search.ai_search_fan_out._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.ai_search_fan_out._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.ai_search_fan_out._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.ai_search_fan_out._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.ai_search_fan_out._extra IS 'Columns the service sent that this table does not have.';

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
COMMENT ON TABLE search.ai_search_sentiments IS 'One row per sentiment mention for a brand within an AI response, with an optional snippet and its source.';
COMMENT ON COLUMN search.ai_search_sentiments.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.ai_search_sentiments.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.ai_search_sentiments.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.ai_search_sentiments.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.ai_search_sentiments.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.ai_search_sentiments.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.ai_search_sentiments.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.ai_search_sentiments.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.ai_search_sentiments.collection_frequency IS 'Collection frequency, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_sentiments.locode IS 'Location code: a country, or a country with a city or region.';
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
COMMENT ON COLUMN search.ai_search_sentiments._key IS 'Row key: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
COMMENT ON COLUMN search.ai_search_sentiments._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.ai_search_sentiments._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.ai_search_sentiments._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.ai_search_sentiments._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.ai_search_sentiments._extra IS 'Columns the service sent that this table does not have.';

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
COMMENT ON TABLE search.ai_search_response IS 'One row per AI response, in full.';
COMMENT ON COLUMN search.ai_search_response.organization_name IS 'Display name of the organization.';
COMMENT ON COLUMN search.ai_search_response.organization_id IS 'Identifier of the organization.';
COMMENT ON COLUMN search.ai_search_response.account_name IS 'Display name of the account.';
COMMENT ON COLUMN search.ai_search_response.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN search.ai_search_response.web_property_name IS 'Display name of the web property.';
COMMENT ON COLUMN search.ai_search_response.web_property_id IS 'Identifier of the web property.';
COMMENT ON COLUMN search.ai_search_response.collection_frequency IS 'Collection frequency, such as WEEKLY.';
COMMENT ON COLUMN search.ai_search_response.time_period_start IS 'First day of the reported period.';
COMMENT ON COLUMN search.ai_search_response.time_period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search.ai_search_response.locode IS 'Location code: a country, or a country with a city or region.';
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
COMMENT ON COLUMN search.ai_search_response._key IS 'Row key: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
COMMENT ON COLUMN search.ai_search_response._occurrence IS 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.';
COMMENT ON COLUMN search.ai_search_response._slice IS 'Slice (searchmill.slices) that wrote the row last.';
COMMENT ON COLUMN search.ai_search_response._loaded_at IS 'When the row was first published.';
COMMENT ON COLUMN search.ai_search_response._changed_at IS 'When the row was last changed.';
COMMENT ON COLUMN search.ai_search_response._extra IS 'Columns the service sent that this table does not have.';
