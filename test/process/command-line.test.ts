import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Command } from '../../clients/cli/src/base/command.ts';
import { parseWords } from '../../clients/cli/src/base/parser.ts';
import { shells } from '../../clients/cli/src/completion.ts';
import { rootCommand } from '../../src/cli/commands.ts';
import { builtProgram, runIn, spawnProgram, startProgram } from '../support/program.ts';
import { itHoldsFor } from '../support/rule.ts';

// The help works even with invalid settings.
const env = { LATCHKEY_HTTP_ADDRESS: 'invalid' };

const run = (...words: string[]) => runIn(tmpdir(), words, env);

async function runAsProcess(...words: string[]) {
  const program = await spawnProgram(env, undefined, words);
  onTestFinished(() => program.remove());
  const status = await program.ended;
  return { status, stdout: program.stdout(), stderr: program.stderr() };
}

const names = (rootCommand.commands ?? []).map(({ name }) => name);

describe('the command line', () => {
  itHoldsFor([[['--help']], [['-h']], [['help']], [[]]])('lists the commands', async (words) => {
    const { status, stdout, stderr } = await run(...words);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: latchkey <command> \[options\]\n/);
    const listed = [...stdout.matchAll(/^ {2}(\w[\w-]*) /gm)].map(([, name]) => name);
    expect(listed).toEqual(names);
  });

  test('explains each command with --help', () => {
    const paths = (command: Command, above: readonly string[]): string[][] =>
      (command.commands ?? []).flatMap((one) => {
        const path = [...above, one.name];
        return [path, ...paths(one, path)];
      });
    for (const words of paths(rootCommand, [])) {
      const help = parseWords(rootCommand, [...words, '--help']);
      expect(help).toMatchObject({ kind: 'help' });
      const text = help.kind === 'help' ? help.text : '';
      expect(text).toMatch(new RegExp(`^Usage: latchkey ${words.join(' ')}( |\n)`));
      expect(text).toMatch(/^(Exit status|Commands):$/m);
      expect(parseWords(rootCommand, ['help', ...words])).toEqual(help);
    }
  });

  test('explains a command as a process', async () => {
    const { status, stdout } = await runAsProcess('clients', 'create', '--help');
    expect(status).toBe(0);
    expect(stdout).toContain('Usage: latchkey clients create <name> [options]');
    expect(stdout).toMatch(/^Exit status:\n(?: .*\n)+ {2}docs\/cli\.md has the others\.\n/m);
    expect((await run('help', 'clients', 'create')).stdout).toBe(stdout);
  });

  test('shows that a token is only read from the standard input', () => {
    for (const name of ['verify', 'revoke']) {
      const help = parseWords(rootCommand, [name, '--help']);
      expect(help).toMatchObject({ text: expect.stringMatching(/^Usage: latchkey \w+ \[-\]/) });
    }
  });

  itHoldsFor([
    [['clients'], ''],
    [['clients', 'xyzzy'], 'The command "xyzzy" is unknown.\n'],
    [['clients', '--all', 'list'], 'The option "--all" is unknown.\n'],
    [['clients', 'get'], 'Missing argument <client-id>.'],
    [['clients', 'get', 'a', 'b'], 'Unexpected argument "b".'],
    [['clients', 'get', 'a', '--colour'], 'The option "--colour" is unknown.\n'],
    [['clients', 'get', 'a', '--jsn'], 'The option "--jsn" is unknown. Did you mean --json?'],
    [
      ['clients', 'secrets', 'rotate', 'a', '--overlap'],
      'The option "--overlap" is unknown. Did you mean --overlap-seconds?',
    ],
    [
      ['links', 'create', 'a', '--email'],
      'Did you mean one of --email-required, --email-verification-required?',
    ],
    [['upload', 'a', '--name'], 'The option --name <name> needs a value.'],
    [
      ['backup', 'a', '--blobs=none'],
      'The option --blobs <mode> cannot be "none". Allowed choices are content, references.',
    ],
    [['completion', 'tcsh'], '<shell> cannot be "tcsh". Allowed choices are bash, zsh, fish.'],
    [['completion'], 'Missing argument <shell>. Allowed choices are bash, zsh, fish.'],
  ])('refuses wrong arguments', async (words, message) => {
    const { status, stdout, stderr } = await run(...words);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`Usage: latchkey ${words[0]}`);
  });

  itHoldsFor([
    [['clinets', 'list'], 'The command "clinets" is unknown. Did you mean clients?'],
    [['help', 'clinets'], 'The command "clinets" is unknown. Did you mean clients?'],
    [['clinets', '--help'], 'The command "clinets" is unknown. Did you mean clients?'],
    [['clients', 'lst', '-h'], 'The command "lst" is unknown. Did you mean list?'],
    [['links', 'updat', '--help'], 'The command "updat" is unknown. Did you mean update?'],
    [
      ['clients', 'rotate', 'cli_1'],
      'The command "rotate" is unknown. Did you mean secrets rotate?',
    ],
    [['--versoin'], 'The option "--versoin" is unknown.'],
    [['a$1b'], 'The command "a$1b" is unknown.'],
    [["it's"], 'The command "it\'s" is unknown.'],
  ])('suggests a command instead of an unknown one', (words, message) => {
    expect(parseWords(rootCommand, words)).toMatchObject({ kind: 'wrong', message });
  });

  itHoldsFor([
    [['clinets', 'list'], 'Did you mean clients?', 'latchkey --help'],
    [['clients', 'lst'], 'Did you mean list?', 'latchkey clients --help'],
    [['frobnicate'], '', 'latchkey --help'],
  ])('prints no list of all commands for an unknown one', async (words, meant, help) => {
    const { status, stdout, stderr } = await run(...words);
    expect([status, stdout]).toEqual([2, '']);
    const unknown = `The command "${words.at(words[0] === 'clients' ? 1 : 0)}" is unknown.`;
    expect(stderr).toBe(`${[unknown, meant].join(' ').trimEnd()}\nHelp: ${help}\n`);
  });

  test('explains a command whose arguments are given', () => {
    const help = parseWords(rootCommand, ['clients', 'get', '--help']);
    expect(parseWords(rootCommand, ['clients', 'get', 'cli_1', '--help'])).toEqual(help);
    expect(parseWords(rootCommand, ['clients', 'get', '--help', '--json'])).toEqual(help);
  });
});

describe('completion', () => {
  /** The words that bash offers after a command line. */
  async function completed(...line: string[]): Promise<string[]> {
    const { stdout: script } = await run('completion', 'bash');
    const words = ['latchkey', ...line].map((word) => `'${word}'`).join(' ');
    const commands = `latchkey() { '${process.execPath}' '${builtProgram}' "$@"; }
${script}
COMP_WORDS=(${words}); COMP_CWORD=${line.length}; _latchkey; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', commands]);
    return stdout.split('\n').filter((one) => one !== '');
  }

  test('offers commands, options, values and files in bash', async () => {
    expect(await completed('cl')).toEqual(['clients']);
    expect(await completed('workspaces', 'members', 'put', '--role', '')).toEqual([
      'owner',
      'admin',
      'member',
    ]);
    expect(await completed('upload', '/etc/passw')).toContain('/etc/passwd');
  });

  itHoldsFor<[line: string[], expected: string[]]>(
    [
      [['clients', 'se'], ['secrets']],
      [['--profile', 'x', 'client', 'se'], ['secrets']],
      [['clients', 'secrets', 'create', 'cli_1', '--exp'], ['--expires']],
      [['completion', 'z'], ['zsh']],
      [['upload', 'a', 'b', ''], [':files']],
      [['--vers'], []],
      [['clients', 'create', 'x', '--token-seconds', ''], []],
      [['unknown', ''], []],
      [['clients', 'get', 'cli_1', ''], []],
    ],
    9,
  )('completes a line', async (line, expected) => {
    const { stdout, status } = await run('completion', 'bash', '--', ...line);
    expect([stdout.split('\n').filter((word) => word !== ''), status]).toEqual([expected, 0]);
  });

  test('has every command and option', async () => {
    const wordsAfter = async (...line: string[]) => {
      const { stdout } = await run('completion', 'fish', '--', ...line);
      return stdout
        .trim()
        .split('\n')
        .map((text) => text.split('\t')[0]);
    };
    expect(await wordsAfter('')).toEqual(names);
    const options = await wordsAfter('links', 'create', '--');
    expect(options).toEqual(expect.arrayContaining(['--profile', '--expires', '--json', '--help']));
    expect(await wordsAfter('links', 'update', '--no-')).toContain('--no-email-required');
  });

  itHoldsFor(shells, 3)('has a script for each shell', async (shell) => {
    expect((await run('completion', shell)).stdout).toContain(`completion ${shell} -- `);
  });
});

itHoldsFor(['--version', '-v', '-V', 'version'])('prints the version', async (word) => {
  const file = path.resolve(import.meta.dirname, '../../package.json');
  const { version } = JSON.parse(await readFile(file, 'utf8'));
  expect(await run(word)).toEqual({
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

test('errors with --json are JSON, also without an answer of a server', async () => {
  const env = { LATCHKEY_BASE_URL: 'http://127.0.0.1:1', LATCHKEY_API_KEY: 'lk_wk_none' };
  const calls = [
    { words: ['documents', 'list', '--json'], env, code: 'unavailable', status: 69 },
    { words: ['documents', 'list', '--json'], env: {}, code: 'access', status: 77 },
    { words: ['documents', 'list', '--json', '--nothing'], env, code: 'usage', status: 2 },
    { words: ['links', 'get', '--json'], env, code: 'usage', status: 2 },
    { words: ['clients', '--json', 'list'], env, code: 'usage', status: 2 },
  ];
  for (const { words, env: variables, code, status } of calls) {
    const ran = await runIn(tmpdir(), words, { HOME: '/nonexistent', ...variables });
    expect(ran.status, words.join(' ')).toBe(status);
    expect(ran.stdout).toBe('');
    const { error } = JSON.parse(ran.stderr);
    expect(error).toMatchObject({ code, message: expect.stringMatching(/./), errors: [] });
  }
});
