// The versions of dbt that the package is promised for: the oldest and the newest, with the adapter and MetricFlow of their time.
export const DBT_VERSIONS = [
  { dbt: '1.11.2', postgres: '1.11.0', metricflow: '0.15.0' },
  { dbt: '1.12.6', postgres: '1.11.0', metricflow: '0.15.0' },
] as const;
