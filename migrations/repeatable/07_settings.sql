-- What jobs.config.yaml says of an account: its own domains, its competitors, and spellings that mean the same.

-- Letters -------------------------------------------------------------------------------------------------------------

-- lower() of Postgres depends on the locale of the database, and in the collation C it knows the letters of ASCII only. That is enough
-- for words that the service has a list of, for hosts and for pages; for other words these functions know the letters by themselves.

-- By blocks of letters: translate() looks through all that it is given for each character.
CREATE OR REPLACE FUNCTION search_reports.lower_letters(words text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  upper_letters constant text[] := ARRAY[
      'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞ',
      'ĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽ',
      'ƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈ'
      'ǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖ'
      'ȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎ',
      'ͰͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫϏϘϚϜϞϠϢϤϦϨϪϬϮϴϷϹϺϽϾϿ',
      'ЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧ'
      'ШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦ'
      'ҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶ'
      'ӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮ',
      'ԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ',
      'ḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎ'
      'ṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẞẠẢẤẦ'
      'ẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶ'
      'ỸỺỼỾ'];
  lower_letters constant text[] := ARRAY[
      'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþ',
      'āăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżž',
      'ɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǆǉǉ'
      'ǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗ'
      'șțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍɏ',
      'ͱͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋϗϙϛϝϟϡϣϥϧϩϫϭϯθϸϲϻͻͼͽ',
      'ѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцч'
      'шщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧ'
      'ҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷ'
      'ӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯ',
      'աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ',
      'ḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋṍṏ'
      'ṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕßạảấầ'
      'ẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷ'
      'ỹỻỽỿ'];
  plain text := lower(normalize(words, NFC) COLLATE "C");
BEGIN
  IF plain COLLATE "C" !~ U&'[\00c0-\00de\0100-\0556\1e00-\1eff]' THEN
    RETURN plain;
  END IF;
  FOR block IN 1 .. cardinality(upper_letters) LOOP
    IF plain COLLATE "C" ~ ('[' || upper_letters[block] || ']') THEN
      plain := translate(plain, upper_letters[block], lower_letters[block]);
    END IF;
  END LOOP;
  RETURN plain;
END
$$;
COMMENT ON FUNCTION search_reports.lower_letters IS 'A text in the composed form and in lower case, whatever the locale of the database: '
  'Latin, Greek, Cyrillic and Armenian letters, one by one. İ stays as it is.';

-- Accents count, as the service may name Café and Cafe apart. Names in texts of answers are found without them (foldedText of
-- src/core/name-pattern.ts); a test compares the two, character by character.
-- Postgres may inline it: a text of ASCII letters alone takes no longer than lower().
CREATE OR REPLACE FUNCTION search_reports.folded(words text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(words) = length(words) THEN lower(words COLLATE "C")
            ELSE replace(replace(translate(search_reports.lower_letters(words), 'İς', 'iσ'), U&'i\0307', 'i'), 'ß', 'ss') END;
COMMENT ON FUNCTION search_reports.folded IS 'By which names and words are compared in any case, whatever the locale of the database: '
  'İSTANBUL, İstanbul and istanbul are one, as are Straße and STRASSE.';

-- Spellings of domains ------------------------------------------------------------------------------------------------

-- Postgres knows nothing of internationalised domains, so these functions know them by themselves. src/core/bare-domain.ts has the same
-- rule, and a test compares the two.

CREATE OR REPLACE FUNCTION search_reports.punycode_bias(delta bigint, points integer, is_first boolean) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  k    integer := 0;
  rest bigint := delta / CASE WHEN is_first THEN 700 ELSE 2 END;
BEGIN
  rest := rest + rest / points;
  WHILE rest > 455 LOOP
    rest := rest / 35;
    k := k + 36;
  END LOOP;
  RETURN k + 36 * rest / (rest + 38);
END
$$;
COMMENT ON FUNCTION search_reports.punycode_bias IS 'The bias of punycode after a character (RFC 3492, section 6.1).';

CREATE OR REPLACE FUNCTION search_reports.ascii_label(label text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  digits constant text := 'abcdefghijklmnopqrstuvwxyz0123456789';
  points integer[];
  point  integer;
  n      integer := 128;
  lowest integer;
  delta  bigint := 0;
  bias   integer := 72;
  basic  integer;
  coded  integer;
  k      integer;
  t      integer;
  rest   bigint;
  answer text;
BEGIN
  -- A label has at most 63 characters; a longer text is none.
  IF octet_length(label) = length(label) OR length(label) > 63 THEN
    RETURN label;
  END IF;
  points := ARRAY(SELECT ascii(c) FROM unnest(string_to_array(label, NULL)) WITH ORDINALITY AS s (c, place) ORDER BY place);
  answer := (SELECT string_agg(chr(p), '' ORDER BY place) FROM unnest(points) WITH ORDINALITY AS s (p, place) WHERE p < 128);
  basic := coalesce(length(answer), 0);
  answer := coalesce(answer || '-', '');
  coded := basic;
  WHILE coded < cardinality(points) LOOP
    lowest := (SELECT min(p) FROM unnest(points) AS p WHERE p >= n);
    delta := delta + (lowest - n)::bigint * (coded + 1);
    n := lowest;
    FOREACH point IN ARRAY points LOOP
      IF point < n THEN
        delta := delta + 1;
      ELSIF point = n THEN
        rest := delta;
        k := 36;
        LOOP
          t := CASE WHEN k <= bias THEN 1 WHEN k >= bias + 26 THEN 26 ELSE k - bias END;
          EXIT WHEN rest < t;
          answer := answer || substr(digits, (t + (rest - t) % (36 - t))::integer + 1, 1);
          rest := (rest - t) / (36 - t);
          k := k + 36;
        END LOOP;
        answer := answer || substr(digits, rest::integer + 1, 1);
        bias := search_reports.punycode_bias(delta, coded + 1, coded = basic);
        delta := 0;
        coded := coded + 1;
      END IF;
    END LOOP;
    delta := delta + 1;
    n := n + 1;
  END LOOP;
  RETURN 'xn--' || answer;
END
$$;
COMMENT ON FUNCTION search_reports.ascii_label IS 'A part of a domain as DNS writes it: other letters than ASCII by punycode (RFC 3492).';

CREATE OR REPLACE FUNCTION search_reports.unicode_label(label text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  coded  text := CASE WHEN length(label) <= 63 THEN substring(label FROM '^xn--([a-z0-9-]+)$') END;
  answer text := coalesce(substring(coded FROM '^(.*)-'), '');
  at     integer := CASE WHEN answer = '' THEN 1 ELSE length(answer) + 2 END;
  n      bigint := 128;
  i      bigint := 0;
  bias   integer := 72;
  before bigint;
  weight bigint;
  digit  integer;
  k      integer;
  t      integer;
BEGIN
  WHILE at <= length(coded) LOOP
    before := i;
    weight := 1;
    k := 36;
    LOOP
      digit := strpos('abcdefghijklmnopqrstuvwxyz0123456789', substr(coded, at, 1)) - 1;
      at := at + 1;
      IF at > length(coded) + 1 OR digit < 0 THEN
        RETURN label;
      END IF;
      i := i + digit * weight;
      t := CASE WHEN k <= bias THEN 1 WHEN k >= bias + 26 THEN 26 ELSE k - bias END;
      EXIT WHEN digit < t;
      weight := weight * (36 - t);
      k := k + 36;
      IF i > 2147483647 OR weight > 2147483647 THEN
        RETURN label;
      END IF;
    END LOOP;
    bias := search_reports.punycode_bias(i - before, length(answer) + 1, before = 0);
    n := n + i / (length(answer) + 1);
    i := i % (length(answer) + 1);
    IF n > 1114111 OR n BETWEEN 55296 AND 57343 THEN
      RETURN label;
    END IF;
    answer := left(answer, i::integer) || chr(n::integer) || substr(answer, i::integer + 1);
    i := i + 1;
  END LOOP;
  -- What is not what a domain would be written as stands for nothing else than itself.
  RETURN CASE WHEN search_reports.one_spelling(answer) = label THEN answer ELSE label END;
END
$$;
COMMENT ON FUNCTION search_reports.unicode_label IS 'A part of a domain as people write it: punycode decoded (RFC 3492). What is none '
  'stays as it is.';

-- Letters are compared in the composed form, in lower case, and with the full stops of other scripts as dots: as in names that DNS resolves
-- (UTS 46).
CREATE OR REPLACE FUNCTION search_reports.ascii_domain(domain text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  plain text := replace(translate(search_reports.lower_letters(domain), '。．｡', '...'), 'İ', U&'i\0307');
BEGIN
  RETURN (SELECT string_agg(search_reports.ascii_label(label), '.' ORDER BY place)
            FROM unnest(string_to_array(plain, '.')) WITH ORDINALITY AS parts (label, place));
END
$$;
COMMENT ON FUNCTION search_reports.ascii_domain IS 'A domain as DNS writes it, in lower case: other letters than ASCII by punycode.';

CREATE OR REPLACE FUNCTION search_reports.one_spelling(domain text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN rtrim(CASE WHEN octet_length(domain) > length(domain) THEN search_reports.ascii_domain(domain) ELSE lower(domain COLLATE "C") END,
             '.');
COMMENT ON FUNCTION search_reports.one_spelling IS 'The one spelling by which a domain is compared: in lower case, without a dot at the '
  'end, other letters than ASCII by punycode, as in xn--mnchen-3ya.example for münchen.example.';

CREATE OR REPLACE FUNCTION search_reports.domain_patterns(domains text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT coalesce(array_agg(DISTINCT ('%.' || regexp_replace(spelling, '([\\%_])', '\\\1', 'g')) COLLATE "C"), '{}')
          FROM unnest(domains) AS given (domain)
         CROSS JOIN LATERAL (SELECT domain UNION ALL
                             SELECT string_agg(search_reports.unicode_label(label), '.' ORDER BY place)
                               FROM unnest(string_to_array(domain, '.')) WITH ORDINALITY AS parts (label, place)) AS spellings (spelling));
COMMENT ON FUNCTION search_reports.domain_patterns IS 'LIKE patterns of domains in the form of bare_domain, in that form and as people '
  'write them. A domain with a dot put before it matches if it is one of them or lies below one.';

-- Own domains ---------------------------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW search_reports.own_domains WITH (security_barrier) AS
SELECT account_id, value AS domain, kind AS source,
       kind = 'configured' OR NOT EXISTS (SELECT FROM searchmill.account_settings c
                                           WHERE c.account_id = o.account_id AND c.setting = 'own_domains' AND c.kind = 'configured')
         AS is_counted
  FROM searchmill.account_settings o
 WHERE setting = 'own_domains'
   AND ((SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login));
COMMENT ON VIEW search_reports.own_domains IS 'Domains of the account itself: those that its jobs configure, and those of citations '
  'attributed to You. A domain may come from both: join those that count (i'
  's_counted), of which there is one each.';
COMMENT ON COLUMN search_reports.own_domains.domain IS 'Domain in lower case, without www.';
COMMENT ON COLUMN search_reports.own_domains.source IS 'configured (own_domains in jobs.config.yaml) or cited. Cited ones count where '
  'none is configured.';
COMMENT ON COLUMN search_reports.own_domains.is_counted IS 'Whether figures go by it: configured domains do, and cited ones where none is '
  'configured.';

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
  SELECT search_reports.domain_patterns(array_agg(domain))
    FROM counted o
   -- A domain below another own domain needs no pattern of its own.
   WHERE NOT EXISTS (SELECT FROM counted above WHERE right(o.domain, length(above.domain) + 1) = '.' || above.domain);
END;
COMMENT ON FUNCTION search_reports.own_patterns IS 'LIKE patterns for the own domains of an account. A domain with a dot put before it '
  'matches if it is an own domain or lies below one.';

CREATE OR REPLACE FUNCTION search_reports.is_own(subdomain text, root_domain text, patterns text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce('.' || search_reports.one_spelling(subdomain) LIKE ANY (patterns), false)
    OR coalesce('.' || search_reports.one_spelling(root_domain) LIKE ANY (patterns), false);
COMMENT ON FUNCTION search_reports.is_own IS 'Whether a result is our own: its subdomain or its root domain matches a pattern of '
  'own_patterns.';

CREATE OR REPLACE FUNCTION search_reports.bare_domain(domain text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(regexp_replace(search_reports.one_spelling(domain), '^www\.(?=.+\.)', ''), 253);
COMMENT ON FUNCTION search_reports.bare_domain IS 'A domain in its one spelling without www., at most 253 characters as domains have. www. '
  'is kept if no other dot follows, as in www.com.';

-- In PL/pgSQL and without regular expressions, which would take four times as long.
CREATE OR REPLACE FUNCTION search_reports.bare_url(url text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  bare   text := split_part(url, '#', 1);
  scheme text := split_part(bare, '//', 1);
  path   text;
  host   text;
  name   text;
  kept   text;
  part   text;
BEGIN
  IF scheme = '' OR right(scheme, 1) = ':' AND strpos(scheme, '/') + strpos(scheme, '?') = 0 THEN
    bare := substr(bare, length(scheme) + 3);
  END IF;
  path := split_part(bare, '?', 1);
  IF length(path) < length(bare) THEN
    FOREACH part IN ARRAY string_to_array(substr(bare, length(path) + 2), '&') LOOP
      name := lower(split_part(part, '=', 1) COLLATE "C");
      -- These parameters say where a visitor came from, and never which page it is.
      IF part <> '' AND NOT starts_with(name, 'utm_')
         AND name <> ALL ('{gclid,gclsrc,gbraid,wbraid,dclid,gad_source,gad_campaignid,srsltid,_gl,_ga,'
                           'fbclid,igshid,msclkid,yclid,twclid,ttclid}'::text[])
         AND name <> ALL ('{li_fat_id,epik,rdt_cid,mc_cid,mc_eid,_hsenc,_hsmi,mkt_tok,vero_id,wickedid,s_kwcid,ef_id}'::text[]) THEN
        kept := concat_ws('&', kept, part);
      END IF;
    END LOOP;
  END IF;
  host := split_part(path, '/', 1);
  path := substr(path, length(host) + 1);
  host := lower(host COLLATE "C");
  IF starts_with(host, 'www.') AND strpos(substr(host, 5), '.') > 1 THEN
    host := substr(host, 5);
  END IF;
  IF lower(scheme COLLATE "C") = 'http:' AND right(host, 3) = ':80' OR lower(scheme COLLATE "C") = 'https:' AND right(host, 4) = ':443' THEN
    host := split_part(host, ':', 1);
  END IF;
  RETURN rtrim(host || path || coalesce('?' || kept, ''), '/');
END
$$;
COMMENT ON FUNCTION search_reports.bare_url IS 'A page as all figures identify it: its URL without scheme, www., default port, fragment, '
  'parameters that tell where a visitor came from (such as utm_source and g'
  'clid) and slashes at the end. The host is in lower case; case '
  'of the path counts.';

CREATE OR REPLACE FUNCTION search_reports.host_of(bare_url text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN search_reports.one_spelling(substring(bare_url FROM '^[^/?#:]+'));
COMMENT ON FUNCTION search_reports.host_of IS 'The host of a page in its one spelling. The page is given as search_reports.bare_url makes '
  'it.';

-- Competitors ---------------------------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW search_reports.competitors WITH (security_barrier) AS
SELECT account_id, value AS domain
  FROM searchmill.account_settings
 WHERE setting = 'competitors'
   AND ((SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login));
COMMENT ON VIEW search_reports.competitors IS 'Sites of competitors that the jobs of an account configure (competitors in '
  'jobs.config.yaml). An account without any has those that citations attribute to SEO Competitor.';

COMMENT ON COLUMN search_reports.competitors.domain IS 'Domain in lower case, without www.';

CREATE OR REPLACE FUNCTION search_reports.competitor_patterns(account bigint, pinned text[] DEFAULT NULL) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT search_reports.domain_patterns(ARRAY(SELECT domain FROM search_reports.competitors
                                              WHERE account_id = account UNION SELECT unnest(pinned)));
END;
COMMENT ON FUNCTION search_reports.competitor_patterns IS 'LIKE patterns for the competitors that the jobs of an account configure and for '
  'others that are given. A site with a dot put before it matches if it is one of them or lies below one.';

-- Names in the texts of answers ---------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW search_reports.brands WITH (security_barrier) AS
SELECT account_id, own_names, rival_names, pattern, patterns, spellings
  FROM searchmill.account_settings
 CROSS JOIN LATERAL jsonb_to_record(meaning::jsonb)
         AS brands (own_names text[], rival_names text[], pattern text, patterns text[], spellings jsonb)
 WHERE setting = 'brands'
   AND ((SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login));
COMMENT ON VIEW search_reports.brands IS 'Names of our brands and of those of rivals that the jobs of an account configure (own_brands and '
  'rival_brands in jobs.config.yaml), and what finds them in the texts of answers.';

COMMENT ON COLUMN search_reports.brands.own_names IS 'Names of our brands; all of them are one voice.';
COMMENT ON COLUMN search_reports.brands.rival_names IS 'Names of rivals, a voice each.';
COMMENT ON COLUMN search_reports.brands.pattern IS 'A regular expression that finds all spellings of all names.';
COMMENT ON COLUMN search_reports.brands.patterns IS 'The same for each voice: ours if there are any, then rivals in their order.';
COMMENT ON COLUMN search_reports.brands.spellings IS 'Usual spellings in lower case, mapped to the rival; to an empty text for ours.';

CREATE OR REPLACE FUNCTION search_reports.voice_of(found text, voices text[], patterns text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT v.voice FROM unnest(voices, patterns) WITH ORDINALITY AS v (voice, pattern, place)
         WHERE found COLLATE "C" ~ v.pattern ORDER BY v.place LIMIT 1);
COMMENT ON FUNCTION search_reports.voice_of IS 'Whose name was found in a text: the voice whose pattern finds it as a whole.';

-- Spellings -----------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION search_reports.join_key(served text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN translate(search_reports.folded(served), ' _', '--');
COMMENT ON FUNCTION search_reports.join_key IS 'By which engines, places and languages of two datasets are compared: in lower case, with a '
  'hyphen for a space or an underscore, so that US NYC equals US-NYC.';

CREATE OR REPLACE VIEW search_reports.aliases WITH (security_barrier) AS
SELECT account_id, kind, value AS spelling, meaning
  FROM searchmill.account_settings
 WHERE setting = 'aliases'
   AND ((SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login));
COMMENT ON VIEW search_reports.aliases IS 'Spellings that mean the same (aliases in jobs.config.yaml). Summaries use the meaning; the rows '
  'of schema search keep what the service sent.';

COMMENT ON COLUMN search_reports.aliases.kind IS 'What is spelled: engine (of AI search), locode or language.';
COMMENT ON COLUMN search_reports.aliases.spelling IS 'As the service spells it somewhere.';
COMMENT ON COLUMN search_reports.aliases.meaning IS 'What summaries call it.';

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
COMMENT ON FUNCTION search_reports.spelled IS 'How summaries spell an engine, locode or language: the meaning of its alias, else as the '
  'service sent it. aliases: those of aliases_of.';
