// Several answers that are waited for at once, each under its name.

type Answers<Asked> = { -readonly [Name in keyof Asked]: Awaited<Asked[Name]> };

/** Resolves when all have; rejects with the first that does. */
export async function allOf<Asked extends Readonly<Record<string, Promise<unknown>>>>(asked: Asked): Promise<Answers<Asked>> {
  const answers = await Promise.all(Object.entries(asked).map(async ([name, answer]) => [name, await answer] as const));
  return Object.fromEntries(answers) as Answers<Asked>;
}
