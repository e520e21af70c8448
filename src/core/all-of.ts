// Waits for several named promises at once.

type Answers<Asked> = { -readonly [Name in keyof Asked]: Awaited<Asked[Name]> };

/** Resolves when all have resolved; rejects with the first that rejects. */
export async function allOf<Asked extends Readonly<Record<string, Promise<unknown>>>>(asked: Asked): Promise<Answers<Asked>> {
  const answers = await Promise.all(Object.entries(asked).map(async ([name, answer]) => [name, await answer] as const));
  return Object.fromEntries(answers) as Answers<Asked>;
}
