// Asks questions on a terminal, and reads secrets from a pipe.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandError, type CommandHost, UsageError } from './command.ts';

/** Whether a person can answer a question. */
export const canAsk = ({ stdin, stderr }: CommandHost) =>
  stdin.isTTY === true && stderr.isTTY === true;

/** Asks for a line, which the terminal shows unless it is a secret. */
export function ask(
  host: CommandHost,
  question: string,
  { isSecret = false } = {},
): Promise<string> {
  if (!canAsk(host)) throw new UsageError('This needs a terminal.');
  const { stdin, stderr } = host;
  const silent = new Writable({
    write(chunk: Buffer, _encoding, done) {
      // readline repeats the typed characters here, because the terminal itself does not.
      if (!isSecret) stderr.write(chunk);
      done();
    },
  });
  return new Promise((resolve, reject) => {
    // First, because the terminal shows typed characters until readline reads them.
    const lines = createInterface({ input: stdin, output: silent, terminal: true });
    stderr.write(question);
    const interrupt = () => {
      reject(new CommandError('Interrupted.', undefined, 'interrupted'));
      lines.close();
    };
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', interrupt);
    lines.once('close', () => {
      if (isSecret) stderr.write('\n');
      interrupt();
    });
  });
}

/** Asks a question that only `y` or `yes` confirms. */
export async function confirm(host: CommandHost, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await ask(host, `${question} [y/N] `)).trim());
}

/** Reads the lines of a pipe or file. */
export async function readLines({ stdin }: CommandHost): Promise<string[]> {
  return (await text(stdin)).split(/\r?\n/);
}
