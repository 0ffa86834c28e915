import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { parseWords } from '../../../clients/cli/src/base/parser.ts';
import { managementScopes } from '../../../src/api/access/scopes.ts';
import { rootCommand } from '../../../src/cli/commands.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { auditActions } from '../../../web/console/audit/audit-labels.ts';
import { itHoldsFor } from '../../support/rule.ts';

async function completed(...line: string[]): Promise<string[]> {
  let text = '';
  const stdout = {
    write(data: string | Uint8Array, done?: () => void) {
      text += String(data);
      done?.();
    },
  };
  const { on, off } = process;
  const stdin = new PassThrough().end();
  const host = { env: { HOME: '/nonexistent' }, stdin, stdout, stderr: stdout, on, off };
  expect(await runProgram(['completion', 'zsh', '--', ...line], host)).toBe(0);
  return text.split('\n').filter((word) => word !== '');
}

test('the actions are those of the console', async () => {
  expect(await completed('audit', 'list', '--action', '')).toEqual(auditActions);
  expect(await completed('audit', '--action', 'MasterKey')).toEqual(['MasterKey.Rotate']);
  const words = ['--profile', 'mine', 'audit', 'export', '--action', 'Staff'];
  expect(await completed(...words)).toEqual(['Staff.Recover']);
});

test('the scopes are those of the methods', async () => {
  const scopes = await completed('clients', 'create', 'billing', '--scope', '');
  expect(scopes.filter((scope) => !managementScopes.includes(scope))).toEqual([]);
  expect(scopes.length).toBeGreaterThan(20);
  expect(await completed('token', '--scope', 'audit')).toEqual(['audit:read']);
});

const profiles = [['--profile', 'x'], ['--profile=x'], []];

itHoldsFor(
  profiles.map((own) => [own]),
  3,
)('an option directly after a group lists, also after a profile', (own) => {
  const listed = parseWords(rootCommand, [...own, 'audit', 'list', '--follow']);
  expect(listed).toMatchObject({ kind: 'run', input: { options: { follow: true } } });
  const short = parseWords(rootCommand, [...own, 'audit', '--follow']);
  expect(short).toEqual(listed);
  const help = parseWords(rootCommand, ['audit', 'list', '--help']);
  expect(parseWords(rootCommand, [...own, 'audit', 'list', '--help'])).toEqual(help);
  expect(parseWords(rootCommand, [...own, 'help', 'audit', 'list'])).toEqual(help);
});

test('a group after a profile still needs a command', () => {
  expect(parseWords(rootCommand, ['--profile', 'x', 'audit'])).toMatchObject({ kind: 'wrong' });
  expect(parseWords(rootCommand, ['--profile', '--help'])).toMatchObject({ kind: 'help' });
  expect(parseWords(rootCommand, ['--profile'])).toMatchObject({
    message: 'The option --profile <name> needs a value.',
  });
});
