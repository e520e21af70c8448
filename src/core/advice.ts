// An error and what helps against it, as one sentence. It is made here, and taken apart here where both are shown apart. The ledger, logs
// and messages carry it as one text.

const BETWEEN = '; what helps: ';

/** What happened, and what to do about it where somebody knows. */
export function withAdvice(said: string, advice: string | undefined): string {
  return advice === undefined ? said : `${said}${BETWEEN}${advice}`;
}

/** What such a sentence says has happened, and what to do; undefined where it says none. */
export function splitAdvice(sentence: string): Readonly<{ said: string; advice: string | undefined }> {
  const at = sentence.indexOf(BETWEEN);
  if (at < 0) return { said: sentence, advice: undefined };
  return { said: sentence.slice(0, at), advice: sentence.slice(at + BETWEEN.length) };
}

/** What a running process takes a corrected credential by. */
export const TAKE_CREDENTIAL = 'SIGHUP to each process takes it, a restart where it stands in an environment variable';
