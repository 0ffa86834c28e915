// Links for each recipient of a list, from the command line.
import { expect, test } from 'vitest';
import { openWorkspaceShell, type Shell, startServer } from '../support/cli.ts';
import { useStarted } from '../support/use-started.ts';

const program = useStarted(() => startServer());

const workspaceShell = () => openWorkspaceShell(program);

const uploadText = async (shell: Shell) =>
  (await shell.run(['upload', '-', '--name', 'For recipients.txt'], 'text')).stdout.trim();

test('links for recipients come from a CSV file, of which a wrong line is named', async () => {
  const shell = await workspaceShell();
  const documentId = await uploadText(shell);
  const words = ['links', 'create-for', documentId, '-'];
  const csv = '\ufeffAddress,Name\r\n"ada@board.example",Ada\r\n\r\n';
  const created = await shell.run(words, `${csv}bo@board.example;Bo\n`);
  expect(created).toMatchObject({ status: 0, stderr: '' });
  const rows = created.stdout.trimEnd().split('\n');
  expect(rows.map((row) => row.split('\t')[0])).toEqual(['ada@board.example', 'bo@board.example']);
  expect(rows.every((row) => /\thttp\S+\/s\/\w{22}$/.test(row))).toBe(true);

  const wrong = await shell.run(words, `${csv}not an address\n`);
  expect(wrong).toMatchObject({ status: 65, stdout: '' });
  expect(wrong.stderr).toContain('line 4, recipient: ');
  const twice = await shell.run(words, `${csv}ADA@board.example\n`);
  expect(twice).toMatchObject({ status: 65, stdout: '' });
  expect(twice.stderr).toContain('line 4, recipient: ');
  const empty = await shell.run(words, 'Address\n');
  expect(empty).toMatchObject({ status: 2, stderr: expect.stringContaining('no recipients') });
});

test('links for recipients also open a folder, and have the options of other links', async () => {
  const shell = await workspaceShell();
  const made = await shell.run(['folders', 'create', 'Board', '--json']);
  const { id: folder_id } = JSON.parse(made.stdout);
  const documentId = await uploadText(shell);
  const toFolder = ['links', 'create-for', '-', '--folder', folder_id];
  const options = ['--no-show-title', '--view-limit', '3', '--json'];
  const created = await shell.run([...toFolder, ...options], 'ada@board.example\n');
  expect(created).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(created.stdout).links).toMatchObject([
    {
      folder_id,
      document_id: '',
      show_title: false,
      view_limit: 3,
      allow_list: ['ada@board.example'],
    },
  ]);
  const toVersion = ['links', 'create-for', documentId, '-', '--pinned-version', '1', '--json'];
  const pinned = JSON.parse((await shell.run(toVersion, 'ada@board.example\n')).stdout);
  expect(pinned.links).toMatchObject([{ document_id: documentId, pinned_version: 1 }]);
  const notified = [...toFolder, '--notify', 'digest'];
  const refused = await shell.run(notified, 'ada@board.example\n');
  expect(refused).toMatchObject({ status: 65, stderr: expect.stringContaining('line 1, notify') });
  for (const [words, problem] of [
    [['doc_1', '-', '--folder', folder_id], '--folder cannot be used with the id of a document.'],
    [['doc_1'], 'Missing argument <file>.'],
    [['--folder', folder_id], 'Missing argument <file>.'],
    [['-', '--folder', folder_id, '--view-limit', 'x'], '"x" is not a whole number.'],
  ] as const) {
    const wrong = await shell.run(['links', 'create-for', ...words], 'ada@board.example\n');
    expect(wrong, problem).toMatchObject({ status: 2, stderr: expect.stringContaining(problem) });
  }
});

test('200 recipients get a mail that quotes a text of 1,000 characters', async () => {
  const shell = await workspaceShell();
  const documentId = await uploadText(shell);
  const words = ['links', 'create-for', documentId, '-', '--message', '\u6587'.repeat(1_000)];
  const list = Array.from({ length: 200 }, (_, i) => `person${i}@board.example`).join('\n');
  const created = await shell.run([...words, '--mail'], list);
  expect(created).toMatchObject({ status: 0, stderr: '' });
  expect(created.stdout.trimEnd().split('\n')).toHaveLength(200);

  const refused = await shell.run(words, list);
  expect(refused).toMatchObject({ status: 65, stdout: '' });
  expect(refused.stderr).toContain('mail_message: must be set together with mail_recipient');
});
