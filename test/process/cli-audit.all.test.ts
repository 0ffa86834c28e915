// The audit log on the command line.
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { openStaffShell, startServer, valuesOf } from '../support/cli.ts';
import { useStarted } from '../support/use-started.ts';

const program = useStarted(() => startServer());

const staffShell = () => openStaffShell(program);

test('the audit log on a terminal shows each action in full, and whole ids or none', async () => {
  const staff = await staffShell();
  const name = 'A client with a name that is longer than the columns of a terminal';
  const words = ['clients', 'create', name, '--scope', 'tokens:read'];
  const id = valuesOf(await staff.run(words))['client.id'] ?? '';
  const list = ['audit', 'list', '--target', id];
  for (const [columns, titles] of [
    [80, ['TIME', 'ACTOR', 'ACTION', 'TARGET', 'OUTCOME']],
    [120, ['TIME', 'ACTOR', 'ACTION', 'TARGET', 'OUTCOME', 'IP ADDRESS']],
    [200, ['TIME', 'ACTOR', 'ACTION', 'TARGET', 'OUTCOME', 'IP ADDRESS', 'ACTOR ID', 'TARGET ID']],
  ] as const) {
    const { text } = await staff.runOnTerminal(list, [], columns);
    const [head = '', row = ''] = stripVTControlCharacters(text).split('\n');
    expect(head.split(/ {2,}/)).toEqual(titles);
    const shown = row.split(/ {2,}/);
    expect(shown[2]).toBe('ClientService.CreateClient');
    expect(row.includes(id)).toBe(columns === 200);
  }
});

test('the list of audit events begins and ends at a time before now', async () => {
  const staff = await staffShell();
  const list = ['audit', 'list', '--page-size', '1', '--json'];
  const { stdout } = await staff.run([...list, '--start-time', '1h', '--end-time', '0m']);
  expect(JSON.parse(stdout)).toMatchObject({ action: expect.any(String) });
  expect((await staff.run([...list, '--end-time', '1h'])).stdout).toBe('');
});

test('an option of the list directly after its group lists', async () => {
  const staff = await staffShell();
  const { stdout } = await staff.run(['audit', '--page-size=1', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ action: expect.any(String) });
  expect(await staff.run(['client', '--json'])).toMatchObject({ status: 0 });
  for (const words of [['audit'], ['audit', '--unknown'], ['audit', 'lists', '--json']]) {
    expect(await staff.run(words), words.join(' ')).toMatchObject({ status: 2, stdout: '' });
  }
  const following = staff.start(['audit', '--follow', '--json']);
  await expect.poll(following.stdout).toContain('"action"');
  following.child.kill('SIGINT');
  expect((await following.ended).status).toBe(130);
});
