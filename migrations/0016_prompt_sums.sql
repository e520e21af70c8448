-- Sums of facts of tracked prompts. A figure of 13 weeks adds up some hundred thousand facts; most choices leave all assistants and places of a prompt
-- together, so that their sums serve as well (migrations/repeatable/11_prompt_facts.sql).
-- Guarantees: weeks whose facts are stored are marked and left out by readers until they are stored again with their sums, the newest first.
-- Nothing else waits. No released process stores facts.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

CREATE TABLE search_stored.prompt_sums (
  account_id      bigint  NOT NULL,
  week            date    NOT NULL,
  is_by_assistant boolean NOT NULL,
  units_key       uuid    NOT NULL,
  units           integer NOT NULL,
  web_property_id bigint,
  answers         integer,
  naming          integer,
  citing          integer,
  unmet_brands    integer NOT NULL,
  own_citations   integer,
  citations       integer,
  unattributed    integer,
  positive        integer,
  neutral         integer,
  negative        integer,
  unvalued        integer,
  texts           integer,
  own_voices      integer,
  prompt          text,
  assistant       text,
  persona         text,
  topic           text,
  intent          text,
  prompt_type     text,
  prompt_groups   text[]  NOT NULL,
  rival_voices    text[],
  cited_sites     text[],
  attributions    text[]
);
CREATE INDEX prompt_sums_week ON search_stored.prompt_sums (account_id, week, is_by_assistant);
COMMENT ON TABLE search_stored.prompt_sums IS 'Stored rows of search_reports.prompt_sums. Query the view: some of these may be out of date.';
COMMENT ON COLUMN search_stored.prompt_sums.is_by_assistant IS 'Whether the row is of one assistant; if not, of all together. Each fact is in one row of either kind.';
COMMENT ON COLUMN search_stored.prompt_sums.units_key IS 'The same in two weeks if, and only if, the row is of the same tracked prompts, whatever their columns.';
COMMENT ON COLUMN search_stored.prompt_sums.units IS 'How many tracked prompts it adds up.';
COMMENT ON COLUMN search_stored.prompt_sums.web_property_id IS 'Web property.';
COMMENT ON COLUMN search_stored.prompt_sums.answers IS 'Sum of this column of search_reports.prompt_facts; NULL where it is NULL for each of the tracked prompts, as in the columns that follow.';
COMMENT ON COLUMN search_stored.prompt_sums.naming IS 'Answers that name a brand of ours.';
COMMENT ON COLUMN search_stored.prompt_sums.citing IS 'Answers that cite a page of ours.';
COMMENT ON COLUMN search_stored.prompt_sums.unmet_brands IS 'Rows of brands of ours that met no answer.';
COMMENT ON COLUMN search_stored.prompt_sums.own_citations IS 'Citations of pages of ours.';
COMMENT ON COLUMN search_stored.prompt_sums.citations IS 'Citations.';
COMMENT ON COLUMN search_stored.prompt_sums.unattributed IS 'Citations whose attribution is unknown and whose site is not known to be ours.';
COMMENT ON COLUMN search_stored.prompt_sums.positive IS 'Positive mentions of brands of ours.';
COMMENT ON COLUMN search_stored.prompt_sums.neutral IS 'Neutral mentions of brands of ours.';
COMMENT ON COLUMN search_stored.prompt_sums.negative IS 'Negative mentions of brands of ours.';
COMMENT ON COLUMN search_stored.prompt_sums.unvalued IS 'Mentions of brands of ours with another sentiment, or none.';
COMMENT ON COLUMN search_stored.prompt_sums.texts IS 'Answers whose text is there.';
COMMENT ON COLUMN search_stored.prompt_sums.own_voices IS 'Answers whose text has a name of ours.';
COMMENT ON COLUMN search_stored.prompt_sums.prompt IS 'The prompt.';
COMMENT ON COLUMN search_stored.prompt_sums.assistant IS 'AI search engine; NULL in a row of all together.';
COMMENT ON COLUMN search_stored.prompt_sums.persona IS 'Persona.';
COMMENT ON COLUMN search_stored.prompt_sums.topic IS 'Topic of the prompts in this week.';
COMMENT ON COLUMN search_stored.prompt_sums.intent IS 'Intent of the prompts in this week.';
COMMENT ON COLUMN search_stored.prompt_sums.prompt_type IS 'Kind of the prompts in this week, as in search_reports.prompt_facts.';
COMMENT ON COLUMN search_stored.prompt_sums.prompt_groups IS 'Names of their prompt groups.';
COMMENT ON COLUMN search_stored.prompt_sums.rival_voices IS 'The names of rivals in the texts of answers, in order, each as often as answers have it.';
COMMENT ON COLUMN search_stored.prompt_sums.cited_sites IS 'The sites of the citations in order, each as often as it is cited.';
COMMENT ON COLUMN search_stored.prompt_sums.attributions IS 'The attributions of the citations in order, each as often as it occurs.';

INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
SELECT DISTINCT 'answers', account_id, week, false FROM search_stored.prompt_facts;
