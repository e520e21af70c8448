// An error and its advice, as one sentence. It is composed here, and split here where both are shown separately. The ledger, logs
// and messages carry it as one text.

const BETWEEN = '; what helps: ';

/** What happened, and what to do about it if known. */
export function withAdvice(said: string, advice: string | undefined): string {
  return advice === undefined ? said : `${said}${BETWEEN}${advice}`;
}

/** Splits such a sentence into what happened and what to do; the latter is undefined if it has none. */
export function splitAdvice(sentence: string): Readonly<{ said: string; advice: string | undefined }> {
  const at = sentence.indexOf(BETWEEN);
  if (at < 0) return { said: sentence, advice: undefined };
  return { said: sentence.slice(0, at), advice: sentence.slice(at + BETWEEN.length) };
}
