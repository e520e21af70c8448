-- How sure a rate from a sample is, and whether it changed. Answers to one prompt are alike, so the sample is one of prompts, not of
-- answers: docs/dashboards.md, "How sure is it".

-- The quantile of Student's t for 95 % by the Cornish-Fisher expansion. From 4 degrees of freedom on its error is below 0.5 %.
CREATE OR REPLACE FUNCTION search_reports.student_quantile(freedom double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 1.959964 + 2.372271 / freedom + 2.822499 / freedom ^ 2 + 2.555850 / freedom ^ 3 + 1.589534 / freedom ^ 4;
COMMENT ON FUNCTION search_reports.student_quantile IS 'The factor that turns the standard error of an estimate into a 95 % interval, by '
  'degrees of freedom.';

CREATE OR REPLACE FUNCTION search_reports.rate_interval(
  hits double precision, size double precision, sizes_squared double precision, sizes_by_hits double precision,
  hits_squared double precision
) RETURNS numeric[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  rate       double precision := least(greatest(hits / nullif(size, 0), 0), 1);
  -- The number and the size of prompts of equal size that would have the same weight.
  prompts    double precision := size ^ 2 / nullif(sizes_squared, 0);
  each_size  double precision := sizes_squared / nullif(size, 0);
  -- How alike the answers to a prompt are is estimated with two more prompts, one with hits only and one without any: if few prompts have
  -- hits, their own variance is too small.
  size_two   double precision := size + 2 * each_size;
  rate_two   double precision := (hits + each_size) / nullif(size_two, 0);
  squared    double precision := sizes_squared + 2 * each_size ^ 2;
  heavy      double precision := size_two ^ 2 / nullif(squared, 0);
  variance   double precision;
  alone      double precision;
  t          double precision;
  middle     double precision;
  half       double precision;
BEGIN
  IF rate IS NULL OR prompts IS NULL OR prompts < 2 THEN
    RETURN NULL;
  END IF;
  variance := greatest(hits_squared + each_size ^ 2 - 2 * rate_two * (sizes_by_hits + each_size ^ 2) + rate_two ^ 2 * squared,
                       0) / size_two ^ 2 * heavy / (heavy - 1);
  -- The number of independent answers that would be as sure.
  alone := size / greatest(variance * size_two / nullif(rate_two * (1 - rate_two), 0), 1);
  t := search_reports.student_quantile(prompts - 1);
  middle := (rate + t ^ 2 / (2 * alone)) / (1 + t ^ 2 / alone);
  half := t / (1 + t ^ 2 / alone) * sqrt(rate * (1 - rate) / alone + t ^ 2 / (4 * alone ^ 2));
  RETURN ARRAY[round(greatest(100 * (middle - half), 0)::numeric, 2), round(least(100 * (middle + half), 100)::numeric, 2)];
END
$$;
COMMENT ON FUNCTION search_reports.rate_interval IS 'The 95 % interval of hits / size in percent, {low, high}: the Wilson interval for the '
  'number of independent answers that would be as sure, given the variance between prompts. The other parameters are sums over prompts: '
  'of size^2, size x hits, hits^2; pass size, size, hits, hits for independent answers. NULL if fewer than two prompts have weight.';

-- The probability by chance of a statistic this far from 0, in either direction, by the finite series for whole degrees of freedom.
CREATE OR REPLACE FUNCTION search_reports.student_chance(t double precision, freedom bigint) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  squared double precision := freedom / (freedom + t * t);
  term    double precision := CASE WHEN freedom % 2 = 0 THEN 1 ELSE sqrt(freedom / (freedom + t * t)) END;
  total   double precision := term;
  sine    double precision := abs(t) / sqrt(freedom + t * t);
BEGIN
  IF freedom < 1 OR t IS NULL THEN
    RETURN NULL;
  END IF;
  FOR k IN 1 .. (freedom - 2) / 2 LOOP
    term := term * squared * CASE WHEN freedom % 2 = 0 THEN (2 * k - 1)::float8 / (2 * k) ELSE (2 * k)::float8 / (2 * k + 1) END;
    total := total + term;
    EXIT WHEN term < 1e-18;
  END LOOP;
  RETURN greatest(1 - CASE WHEN freedom % 2 = 0 THEN sine * total
                           WHEN freedom = 1 THEN 2 / pi() * atan(abs(t))
                           ELSE 2 / pi() * (atan(abs(t) / sqrt(freedom::float8)) + sine * total) END, 0);
END
$$;
COMMENT ON FUNCTION search_reports.student_chance IS 'How often chance alone makes a value of Student''s t as far from 0 as t, in either '
  'direction, by degrees of freedom.';

CREATE OR REPLACE FUNCTION search_reports.chance_of(change numeric, noise numeric, observations bigint) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN noise IS NULL THEN NULL
            WHEN noise = 0 THEN CASE WHEN change = 0 THEN 1 ELSE 0 END
            ELSE search_reports.student_chance((change / noise)::float8 * search_reports.student_quantile(observations - 1),
                                               observations - 1) END;
COMMENT ON FUNCTION search_reports.chance_of IS 'How often chance alone makes a change like for like as large as that of '
  'search_reports.changes; NULL where it has no noise.';

-- Benjamini and Hochberg: of what is told, at most this share is expected to be chance.
CREATE OR REPLACE FUNCTION search_reports.chance_cut(chances double precision[],
                                                     rate double precision DEFAULT 0.05) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT max(c.chance) FILTER (WHERE c.chance <= rate * c.place / c.amount)
          FROM (SELECT chance, row_number() OVER (ORDER BY chance) AS place, count(*) OVER () AS amount
                  FROM unnest(chances) AS chance WHERE chance IS NOT NULL) AS c);
COMMENT ON FUNCTION search_reports.chance_cut IS 'Of the chances of all that was tested, the largest with which something is told, by '
  'Benjamini and Hochberg; NULL if nothing is.';
