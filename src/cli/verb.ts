// A verb of the command line.
import { Command } from 'commander';

export class Verb extends Command {
  /** Shows `text` in the help, below the options. */
  more(text: string): this {
    return this.addHelpText('after', `\n${text}`);
  }
}
