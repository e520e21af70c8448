// Whether a sentence says what it must: its words, its numbers to the digits that it shows, and the names in it, largest first.

/** A number as it is shown; `apartFrom` is another one that it must be told apart from. */
type Shown = Readonly<{ number: number; apartFrom?: number }>;
/** Named things, each with its amount: the first three, or so many (`most`), and how many others there are (`rest`). */
type Names = Readonly<{
  names: readonly (readonly [string, number])[];
  shows: (name: string, amount: number) => readonly Part[];
  most?: number;
  rest?: (amount: number) => string;
}>;
export type Part = string | Shown | Readonly<{ points: number }> | Names;

const NEAR = 1e-7;
const NAMED = 3;
const fail = (what: string, rest: string): never => {
  throw new Error(`${what}, not “${rest}”`);
};

function readNumber(text: string, { number, apartFrom }: Shown): string {
  const [shown = ''] = /^\d+(\.\d+)?/.exec(text) ?? [];
  const digits = shown.split('.')[1]?.length ?? 0;
  if (shown === '' || Math.abs(Number(shown) - number) > 0.5 * 10 ** -digits + NEAR) fail(String(number), text);
  if (Number(shown) === 0 && number > NEAR) fail(`${number}, which is not 0`, text);
  if (apartFrom !== undefined && Math.abs(apartFrom - number) > 1e-5 && apartFrom.toFixed(digits) === number.toFixed(digits))
    fail(`${number} told apart from ${apartFrom}`, text);
  return text.slice(shown.length);
}

function readPoints(text: string, points: number): string {
  const [all = '', sign, amount = ''] = /^([+−])(less than 0\.01|\d+\.\d\d)/.exec(text) ?? [];
  const isRight = amount.startsWith('less')
    ? Math.abs(points) < 0.005 + NEAR
    : Math.abs(Number(amount) - Math.abs(points)) < 0.005 + NEAR && Number(amount) > 0;
  if (all === '' || sign !== (points > 0 ? '+' : '−') || !isRight) fail(`${points} points`, text);
  return text.slice(all.length);
}

const others = (amount: number): string => ` and ${amount} other${amount === 1 ? '' : 's'}`;

function readNames(text: string, { names, shows, most = NAMED, rest: restOf = others }: Names): string {
  let rest = text;
  let least = Number.POSITIVE_INFINITY;
  const left = new Map(names);
  for (let at = 0; at < Math.min(most, names.length); at += 1) {
    if (at > 0) rest = readParts(rest, [', ']);
    // Of equal amounts any may come first.
    const next = [...left].flatMap(([name, amount]) => {
      try {
        return [{ name, amount: Math.abs(amount), rest: readParts(rest, shows(name, amount)) }];
      } catch {
        return [];
      }
    });
    const found = next[0] ?? fail(`one of ${JSON.stringify([...left])}`, rest);
    if (found.amount > least + NEAR || [...left.values()].some((each) => Math.abs(each) > found.amount + NEAR))
      fail(`the largest of ${JSON.stringify([...left])}`, rest);
    least = found.amount;
    left.delete(found.name);
    rest = found.rest;
  }
  return left.size === 0 ? rest : readParts(rest, [restOf(left.size)]);
}

function readParts(text: string, parts: readonly Part[]): string {
  let rest = text;
  for (const part of parts) {
    if (typeof part === 'string') rest = rest.startsWith(part) ? rest.slice(part.length) : fail(`“${part}”`, rest);
    else if ('points' in part) rest = readPoints(rest, part.points);
    else if ('names' in part) rest = readNames(rest, part);
    else rest = readNumber(rest, part);
  }
  return rest;
}

/** What is wrong with a sentence; undefined if it is made of these parts and nothing else. */
export function faultOfSentence(text: string, parts: readonly Part[]): string | undefined {
  try {
    const rest = readParts(text, parts);
    return rest === '' ? undefined : `ends with “${rest}”`;
  } catch (error) {
    return (error as Error).message;
  }
}
