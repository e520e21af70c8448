// Named parameters of SQL: `:executionId` in a statement of sql/ becomes `$1` for Postgres. psql can run the same text after
// `\set executionId 42`.

/** A statement without its comment lines, ready for Postgres; `parameters[0]` is `$1`. */
export type CompiledStatement = Readonly<{ text: string; parameters: readonly string[]; placeholders: readonly string[] }>;

/** Also matches comments, quoted text, quoted names and casts in order to skip them. Array slices with a lower bound do not match. */
const TOKEN = /--.*|'[^']*'|"[^"]*"|::|(?<![\w\])]):([a-z]\w*)/gi;

/** Numbers the parameters of a statement in order of first appearance. */
export function compileStatement(source: string): CompiledStatement {
  const parameters: string[] = [];
  const text = replaceParameters(source.replaceAll(/^--.*\n/gm, '').trim(), (name) => {
    if (!parameters.includes(name)) parameters.push(name);
    return `$${parameters.indexOf(name) + 1}`;
  });
  const placeholders = [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))];
  return { text, parameters, placeholders };
}

/** Replaces each parameter of a statement by `replace(name, at)`; `at` is its position. */
export function replaceParameters(statement: string, replace: (name: string, at: number) => string): string {
  return statement.replaceAll(TOKEN, (token, name: string | undefined, at: number) => (name === undefined ? token : replace(name, at)));
}
