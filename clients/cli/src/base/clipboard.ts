// Copies a text to the clipboard, with the first program that works, or else with the terminal.
import { spawn } from 'node:child_process';
import type { CommandHost, Option } from './command.ts';
import { cleanText } from './text.ts';

/** Of commands that create one link. Those for secrets lack it: clipboards keep a history. */
export const copyOption: Option = {
  name: 'copy',
  about:
    'Also copies the address of the link to the clipboard, through a program such as xclip, or ' +
    'through the terminal. If that fails, prints a warning.',
};

/** For Wayland, X11, macOS, and Windows with WSL. */
const programs: readonly (readonly [program: string, ...words: string[]])[] = [
  ['wl-copy'],
  ['xclip', '-selection', 'clipboard'],
  ['xsel', '--clipboard', '--input'],
  ['pbcopy'],
  ['clip.exe'],
];

const timeoutMs = 5_000;

/**
 * Reports on the standard error whether it copied `what`. Copies one line: a shell would run the
 * first of several when they are pasted.
 */
export async function copyToClipboard(
  what: string,
  given: string,
  host: CommandHost,
): Promise<void> {
  const text = cleanText(given);
  for (const [program, ...words] of programs) {
    if (!(await pipe(program, words, text, host))) continue;
    host.stderr.write(`Copied ${what} to the clipboard.\n`);
    return;
  }
  if (host.stderr.isTTY !== true) {
    const names = programs.map(([program]) => program).join(', ');
    host.stderr.write(`Cannot copy ${what} to the clipboard: none of ${names} works.\n`);
    return;
  }
  // OSC 52. Most terminals also accept it over SSH. None of them confirms it.
  host.stderr.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  host.stderr.write(`Asked the terminal to copy ${what}.\n`);
}

/** Returns whether the program exists and accepted the text. */
function pipe(
  program: string,
  words: readonly string[],
  text: string,
  { env }: CommandHost,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, words, {
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: timeoutMs,
    });
    child.once('error', () => resolve(false));
    // Programs for X11 keep running in the background with open streams, so `close` may never come.
    child.once('exit', (code) => resolve(code === 0));
    child.stdin.on('error', () => {});
    child.stdin.end(text);
  });
}
