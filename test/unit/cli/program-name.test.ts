import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { CommandHost } from '../../../clients/cli/src/base/command.ts';
import { runProgram } from '../../../src/cli/program.ts';

/** Runs a command that fails, and returns its message. */
async function messageOf(
  env: CommandHost['env'],
  words: readonly string[] = ['documents', 'list'],
): Promise<string> {
  let message = '';
  const output = {
    write(data: string | Uint8Array) {
      message += String(data);
    },
  };
  const { on, off } = process;
  const host = { env, stdin: Readable.from([]), stdout: output, stderr: output, on, off };
  expect(await runProgram(words, host)).not.toBe(0);
  return message;
}

const home = { HOME: '/nonexistent' };

test('the command in a message begins like the command that the user ran', async () => {
  expect(await messageOf(home)).toBe('You are not signed in. Run: latchkey login\n');
  const npx = await messageOf({ ...home, npm_command: 'exec' });
  expect(npx).toBe('You are not signed in. Run: npx latchkey login\n');
  const unknown = await messageOf({ ...home, npm_command: 'exec' }, ['lnks']);
  expect(unknown).toContain('Help: npx latchkey --help\n');
});
