/** What the first folders of the package and of the image have in common. */
export const SHIPPED = [
  'dashboards',
  'demo',
  'dist',
  'init',
  'jobs.config.schema.json',
  'jobs.config.yaml',
  'migrations',
  'package.json',
  'signals',
];
