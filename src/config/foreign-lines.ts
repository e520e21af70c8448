// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables, as people write it
// Lines of other languages and tools that got into a YAML file: comments, templates, marks of Markdown, lines of a shell. Only for files
// that the parser refused. Quotes nothing from the file.

/** Of a line without its indentation: what it looks like, and what is said of it. */
const FOREIGN: readonly (readonly [RegExp, string])[] = [
  [/^(?:```|~~~)/, 'is a mark of Markdown; expected the lines between such marks alone'],
  [/^(?:\.\.\.|\u2026)\s*$/, 'stands for something that was left out; expected all of it, or nothing'],
  [/^(?:\{\{|\{%|<%)/, 'is a line of a template that was not filled in; expected plain YAML'],
  [/^(?:;|<!--|REM\s|\/\*|\/\/)/, 'looks like a comment of another language; expected # at its beginning'],
  [/^(?:export +\w+|[A-Z][A-Z0-9_]*)=/, 'sets a variable, as in a shell or .env; expected it in the environment, and here "${NAME}"'],
  [/^\* +[a-z_]+:(?: |$)/, 'begins with *, as a list of Markdown does; expected "- " before an item of a list'],
  [/^- *- +[a-z_]+:(?: |$)/, 'has two hyphens; expected one before an item of a list'],
  [/^(?:- +)?<< +\*/, 'has no colon; expected "<<: *name"'],
];

/** The first such line among the line at an offset and the one before it, where a parser stumbles. */
export function findForeignLine(text: string, offset: number): { offset: number; text: string } | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const before = start === 0 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  for (const at of new Set([before, start])) {
    const line = text.slice(at).split('\n', 1)[0] ?? '';
    const indent = line.length - line.trimStart().length;
    const [, said] = FOREIGN.find(([pattern]) => pattern.test(line.trimStart())) ?? [];
    if (said) return { offset: at + indent, text: said };
  }
  return undefined;
}
