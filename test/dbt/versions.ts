// The versions of dbt that the package is promised for: the oldest and the newest, with the adapter and MetricFlow of their time.
const PROMISED = [
  { dbt: '1.11.2', postgres: '1.11.0', metricflow: '0.15.0' },
  { dbt: '1.12.6', postgres: '1.11.0', metricflow: '0.15.0' },
] as const;

/** Both, or only the newest with `TEST_DBT_VERSIONS=newest`, which CI has time for. */
export const DBT_VERSIONS = process.env.TEST_DBT_VERSIONS === 'newest' ? PROMISED.slice(-1) : PROMISED;
