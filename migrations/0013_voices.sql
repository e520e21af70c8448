-- Share of voice: names of ours and of rivals that answers of assistants have in their texts.
-- Guarantees: weeks stay as they are until names are configured for their account, which marks them (src/reports/brands.ts).
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

CREATE TABLE searchmill.brands (
  account_id  bigint PRIMARY KEY,
  own_names   text[] NOT NULL,
  rival_names text[] NOT NULL,
  pattern     text   NOT NULL,
  patterns    text[] NOT NULL,
  spellings   jsonb  NOT NULL
);
COMMENT ON TABLE searchmill.brands IS 'Names that the jobs of an account are configured with, to be found in the texts of answers '
  '(own_brands and rival_brands in jobs.config.yaml).';
COMMENT ON COLUMN searchmill.brands.own_names IS 'Names of our brands; all of them are one voice.';
COMMENT ON COLUMN searchmill.brands.rival_names IS 'Names of rivals, a voice each.';
COMMENT ON COLUMN searchmill.brands.pattern IS 'A regular expression that finds all spellings of all names as whole words, whatever their '
  'case and accents (src/core/name-pattern.ts).';
COMMENT ON COLUMN searchmill.brands.patterns IS 'The same for each voice, to tell whose name was found: ours if there are any, then rivals '
  'in their order.';
COMMENT ON COLUMN searchmill.brands.spellings IS 'Of what is found, the usual spellings in lower case, mapped to the rival; to an empty '
  'text for ours.';

ALTER TABLE search_stored.prompt_facts
  ADD COLUMN texts        integer,
  ADD COLUMN own_voices   integer,
  ADD COLUMN rival_voices text[];
COMMENT ON COLUMN search_stored.prompt_facts.texts IS 'Answers whose text is there.';
COMMENT ON COLUMN search_stored.prompt_facts.own_voices IS 'Of them, those whose text has a name of ours (own_brands); NULL where none '
  'is configured.';
COMMENT ON COLUMN search_stored.prompt_facts.rival_voices IS 'The names of rivals (rival_brands) in these texts, in order, each as often '
  'as answers have it; NULL where none is configured.';
