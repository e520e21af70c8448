// The command line inside the test's own process: what it prints, and its exit code.
import { runCommandLine } from '../../src/cli/program.ts';

export type CommandLineOptions = Readonly<{
  env?: Readonly<Record<string, string>>;
  width?: number;
  isInteractive?: boolean;
  /** The answer that a person gives to each question shown. */
  confirm?: (question: string) => Promise<boolean>;
  /** Aborting it is Ctrl-C. */
  stopping?: AbortSignal;
}>;

export type CommandLineResult = Readonly<{ code: number; out: string; err: string }>;

/** Runs one verb. LOG_LEVEL is silent unless given. */
export async function runCli(args: readonly string[], options: CommandLineOptions = {}): Promise<CommandLineResult> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommandLine(
    {
      env: { LOG_LEVEL: 'silent', ...options.env },
      print: (text) => void out.push(`${text}\n`),
      write: (text) => void out.push(text),
      warn: (text) => void err.push(`${text}\n`),
      isInteractive: options.isInteractive ?? false,
      confirm: options.confirm,
      width: options.width ?? 80,
      height: 24,
      stopping: options.stopping ?? new AbortController().signal,
    },
    args,
  );
  return { code, out: out.join(''), err: err.join('') };
}
