-- Share of voice: names of ours and of rivals that answers of assistants have in their texts.
-- Guarantees: weeks stay as they are until names are configured for their account, which marks them (src/reports/brands.ts).
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

ALTER TABLE search_stored.prompt_facts
  ADD COLUMN texts        integer,
  ADD COLUMN own_voices   integer,
  ADD COLUMN rival_voices text[];
COMMENT ON COLUMN search_stored.prompt_facts.texts IS 'Answers whose text is there.';
COMMENT ON COLUMN search_stored.prompt_facts.own_voices IS 'Of them, those whose text has a name of ours (own_brands); NULL where none '
  'is configured.';
COMMENT ON COLUMN search_stored.prompt_facts.rival_voices IS 'The names of rivals (rival_brands) in these texts, in order, each as often '
  'as answers have it; NULL where none is configured.';
