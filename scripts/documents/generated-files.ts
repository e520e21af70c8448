// All files that are generated from the definitions in src/, with their current content.
import { readBoards } from '../../src/dashboards/boards.ts';
import { grafanaDashboard } from '../dashboards/grafana.ts';
import { operationsDashboard } from '../dashboards/grafana-operations.ts';
import { architecturePage } from './architecture-page.ts';
import { configurationPage } from './configuration-page.ts';
import { DBT_FILES } from './dbt-package.ts';
import { deployingPage } from './deploying-page.ts';
import { importRules } from './import-rules.ts';
import { jobsConfigSchema } from './jobs-config-schema.ts';
import { measureViewsSql } from './measure-views.ts';
import { measuresSql } from './measures.ts';
import { operationsPage } from './operations-page.ts';
import { panelsPage } from './panels-page.ts';
import { statementParameters } from './statement-parameters.ts';
import { tablesPage } from './tables-page.ts';
import { datasetDefinitions, warehouseMigrations } from './warehouse-schema.ts';

/** Paths are relative to the repository. */
export const GENERATED_FILES: readonly Readonly<{ path: string; content: () => string }>[] = [
  { path: 'biome.imports.json', content: importRules },
  { path: 'jobs.config.schema.json', content: jobsConfigSchema },
  { path: 'dashboards/README.md', content: panelsPage },
  { path: 'docs/architecture.md', content: architecturePage },
  { path: 'docs/configuration.md', content: configurationPage },
  { path: 'docs/deploying.md', content: deployingPage },
  { path: 'docs/operations.md', content: operationsPage },
  { path: 'docs/tables.md', content: tablesPage },
  ...warehouseMigrations(),
  ...DBT_FILES,
  { path: 'migrations/repeatable/03_datasets.sql', content: datasetDefinitions },
  { path: 'migrations/repeatable/27_measures.sql', content: measuresSql },
  { path: 'migrations/repeatable/36_measure_views.sql', content: measureViewsSql },
  { path: 'src/postgres/statement-parameters.ts', content: statementParameters },
  { path: 'dashboards/grafana/operations.json', content: () => `${JSON.stringify(operationsDashboard(), null, 2)}\n` },
  ...readBoards().map((board) => ({
    path: `dashboards/grafana/${board.name}.json`,
    content: () => `${JSON.stringify(grafanaDashboard(board), null, 2)}\n`,
  })),
];
