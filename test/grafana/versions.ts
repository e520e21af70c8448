// The versions of Grafana whose client parts are tried: the one of compose.yaml, one older, one newer. Scenes is the one of their time.
export const GRAFANA_VERSIONS = [
  { grafana: '11.6.16', selectors: '11.6.16', scenes: '6.5.3' },
  { grafana: '12.1.1', selectors: '12.1.0', scenes: '6.28.1' },
  { grafana: '13.2.3', selectors: '13.2.3', scenes: '9.2.2' },
] as const;
