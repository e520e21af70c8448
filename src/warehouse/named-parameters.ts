// Named parameters of SQL: `:executionId` in a file of sql/ becomes the `$1` that Postgres knows. psql reads the same files, after
// `\set executionId 42`.

/** A statement without its comments, as Postgres takes it; `parameters[0]` is `$1`. */
export type CompiledStatement = Readonly<{ text: string; parameters: readonly string[]; placeholders: readonly string[] }>;

/** Comments, quoted text, quoted names and casts are passed over. So are slices of arrays that name their lower bound. */
const TOKEN = /--.*|'[^']*'|"[^"]*"|::|(?<![\w\])]):([a-z]\w*)/gi;

/** Numbers the parameters of a statement in the order in which they first appear. */
export function compileStatement(source: string): CompiledStatement {
  const parameters: string[] = [];
  const text = replaceParameters(source.replaceAll(/^--.*\n/gm, '').trim(), (name) => {
    if (!parameters.includes(name)) parameters.push(name);
    return `$${parameters.indexOf(name) + 1}`;
  });
  const placeholders = [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))];
  return { text, parameters, placeholders };
}

/** A statement with `replace(name)` in the place of each of its parameters; `at` is where that stands. */
export function replaceParameters(statement: string, replace: (name: string, at: number) => string): string {
  return statement.replaceAll(TOKEN, (token, name: string | undefined, at: number) => (name === undefined ? token : replace(name, at)));
}
