import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { spawnProgram, startProgram } from '../support/program.ts';

async function run(...words: string[]) {
  // The help works even with invalid settings.
  const program = await spawnProgram({ LATCHKEY_HTTP_ADDRESS: 'invalid' }, undefined, words);
  onTestFinished(() => program.remove());
  const status = await program.ended;
  return { status, stdout: program.stdout(), stderr: program.stderr() };
}

const names = [
  'serve',
  'migrate',
  'doctor',
  'rotate-master-key',
  'recover-staff',
  'backup',
  'restore',
];

describe('the command line', () => {
  test.each([['--help'], ['-h'], ['help']])('lists the commands with %s', async (word) => {
    const { status, stdout, stderr } = await run(word);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: node dist\/src\/main\.js \[<command>\]\n/);
    const listed = [...stdout.matchAll(/^ {2}([\w-]+) /gm)].map(([, name]) => name);
    expect(listed).toEqual(names);
  });

  test.each(names)('explains a command with %s --help', async (name) => {
    const { status, stdout, stderr } = await run(name, '--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: node dist/src/main.js ${name}`);
    expect(stdout).toContain('Exit status: ');
    expect((await run('help', name)).stdout).toBe(stdout);
  });
});

test('prints the package’s version with --version', async () => {
  const file = path.resolve(import.meta.dirname, '../../package.json');
  const { version } = JSON.parse(await readFile(file, 'utf8'));
  expect(await run('--version')).toEqual({
    status: 0,
    stdout: `latchkey ${version}\n`,
    stderr: '',
  });
});

describe('the log', () => {
  async function loggedCall(settings: Record<string, string>): Promise<string> {
    const program = await startProgram(settings);
    onTestFinished(() => program.remove());
    await fetch(`${program.env.LATCHKEY_BASE_URL}/.well-known/jwks.json`);
    await expect.poll(() => program.stdout()).toContain('GetJwks');
    return program.stdout();
  }

  test('is JSON if the output is not a terminal', async () => {
    const lines = (await loggedCall({})).trim().split('\n');
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 30 });
  });

  test('is one readable line per request with LATCHKEY_LOG_FORMAT=pretty', async () => {
    const log = await loggedCall({ LATCHKEY_LOG_FORMAT: 'pretty' });
    const call = 'VerificationService/GetJwks {2}http {2}anonymous {2}127\\.0\\.0\\.1';
    expect(log).toMatch(
      new RegExp(`^\\d\\d:\\d\\d:\\d\\d INFO {2}ok {7} +\\d+\\.\\d ms {2}${call}$`, 'm'),
    );
  });
});
