// Uploads and downloads from the command line.
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openWorkspaceShell, type Shell, startServer } from '../support/cli.ts';
import { itHoldsFor } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';

const uploadBytesMax = 3_000_000;

const program = useStarted(() => startServer({ uploadBytesMax }));

const workspaceShell = () => openWorkspaceShell(program);

async function namesOf(shell: Shell): Promise<string[]> {
  const { stdout } = await shell.run(['documents', 'list', '--all']);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[1] ?? '');
}

test('a file is uploaded and downloaded without a change', async () => {
  const shell = await workspaceShell();
  const bytes = Buffer.alloc(1_000_000, 'latchkey ');
  await writeFile(path.join(shell.home, 'report.txt'), bytes);
  const uploaded = await shell.run(['upload', 'report.txt', '--name', 'Report']);
  expect(uploaded).toMatchObject({ status: 0, stderr: 'Uploaded Report (1 MB).\n' });
  const id = uploaded.stdout.trim();

  const saved = await shell.run(['documents', 'download', id, '--output', 'copy.txt']);
  expect(saved).toMatchObject({ status: 0, stdout: '' });
  expect((await readFile(path.join(shell.home, 'copy.txt'))).equals(bytes)).toBe(true);
  const piped = await shell.run(['documents', 'download', id]);
  expect(piped.stdout).toBe(bytes.toString());
  const existing = await shell.run(['documents', 'download', id, '--output', 'copy.txt']);
  expect(existing).toMatchObject({ status: 74, stderr: expect.stringContaining('exists') });
});

test('--share prints the address of a link that asks for an email address', async () => {
  const shell = await workspaceShell();
  const share = ['--share', '--email-required', '--expires', '30d'];
  const { status, stdout } = await shell.run(['upload', '-', '--name', 'a.txt', ...share], 'text');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/s\/\w{22}\n$/);
  expect(await (await fetch(stdout.trim())).text()).toContain('type="email"');
  const { stdout: links } = await shell.run(['links', 'list', '--json']);
  const [line = ''] = links.split('\n').filter((one) => one.includes(stdout.trim()));
  expect(JSON.parse(line)).toMatchObject({ email_required: true });
  expect(Date.parse(JSON.parse(line).expire_time)).toBeGreaterThan(Date.now() + 29 * 86_400_000);
});

test('--share on a terminal also names the command that lists the views', async () => {
  const shell = await workspaceShell();
  await writeFile(path.join(shell.home, 'a.txt'), 'text');
  const { status, text } = await shell.runOnTerminal(['upload', 'a.txt', '--share']);
  expect(status).toBe(0);
  const shown = /\/s\/\w{22}\nIts views: latchkey (views list lnk_\w{22})\n$/.exec(text);
  const words = shown?.[1]?.split(' ') ?? [];
  expect(await shell.run(words)).toEqual({ status: 0, stdout: '', stderr: '' });
  const piped = await shell.run(['upload', 'a.txt', '--share']);
  expect(piped.stderr).toBe('Uploaded a.txt (4 bytes).\n');
});

test('--share warns about a watermark that the file cannot have', async () => {
  const shell = await workspaceShell();
  await writeFile(path.join(shell.home, 'a.txt'), 'text');
  const { status, stdout, stderr } = await shell.run(['upload', 'a.txt', '--share', '--watermark']);
  expect(status).toBe(0);
  expect(stdout).toMatch(/\/s\/\w{22}\n$/);
  expect(stderr).toBe(
    'Uploaded a.txt (4 bytes).\nReaders cannot open the document. A watermark needs a PDF, ' +
      'Office, JPEG or PNG file. Share it without --watermark.\n',
  );
});

test('a terminal shows the progress', async () => {
  const shell = await workspaceShell();
  await writeFile(path.join(shell.home, 'slides.bin'), Buffer.alloc(500_000));
  const { status, text } = await shell.runOnTerminal(['upload', 'slides.bin'], [], 100);
  expect(text).toMatch(/slides\.bin {2}█+ 100% of 500 kB/);
  expect(text).toMatch(/doc_\w{22}/);
  expect(status).toBe(0);
});

test('a missing logo is named', async () => {
  const shell = await workspaceShell();
  const ran = await shell.run(['workspaces', 'set-logo', 'wks_1', 'no.png']);
  expect(ran).toEqual({ status: 66, stdout: '', stderr: 'no.png: there is no such file.\n' });
});

test('several files become documents, and one that cannot be read stops all of them', async () => {
  const shell = await workspaceShell();
  const names = ['one.txt', 'two.txt', 'three.txt'];
  for (const name of names) await writeFile(path.join(shell.home, name), name);

  const { status, stdout } = await shell.run(['upload', ...names, '--share', '--json']);

  expect(status).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  const documents = lines.map((line) => JSON.parse(line));
  expect(documents.map(({ document }) => document.name)).toEqual(names);
  expect(new Set(documents.map(({ link }) => link.document_id)).size).toBe(3);
  const refused = await shell.run(['upload', 'one.txt', 'four.txt']);
  expect(refused).toMatchObject({ status: 66, stdout: '' });
  for (const option of ['name', 'document']) {
    expect(await shell.run(['upload', 'one.txt', 'two.txt', `--${option}`, 'a'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`--${option} cannot be used with several files.`),
    });
  }
});

describe('an upload that cannot succeed leaves no document:', () => {
  itHoldsFor([
    ['a missing file', ['missing.pdf'], 66, 'missing.pdf: there is no such file.\n'],
    ['a folder', ['folder'], 2, 'is a folder'],
    ['the standard input without a name', ['-'], 2, '--name'],
    ['an empty file', ['empty'], 65, 'invalid_argument'],
    ['a file that is too large', ['large'], 65, 'payload_too_large'],
    ['options of a link without --share', ['empty', '--email-required'], 2, '--share'],
    ['an invalid time', ['empty', '--share', '--expires', 'soon'], 2, 'is not a time'],
    [
      'a date',
      ['empty', '--share', '--expires', '2030-01-31'],
      2,
      'is a date, and needs an hour. Examples:',
    ],
  ])('a wrong argument is refused', async (_name, words, status, message) => {
    const shell = await workspaceShell();
    await mkdir(path.join(shell.home, 'folder'));
    await writeFile(path.join(shell.home, 'empty'), '');
    await writeFile(path.join(shell.home, 'large'), Buffer.alloc(uploadBytesMax + 1));
    const before = await namesOf(shell);
    const ran = await shell.run(['upload', ...words]);
    expect(ran).toMatchObject({ status, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(await namesOf(shell)).toEqual(before);
  });

  itHoldsFor([
    ['SIGINT', 130],
    ['SIGTERM', 130],
    ['SIGKILL', 'SIGKILL'],
  ] as const)('a signal ends the upload', async (signal, status) => {
    const shell = await workspaceShell();
    const before = await namesOf(shell);
    const { child, ended } = shell.start(['upload', '-', '--name', 'interrupted']);
    // More than a pipe holds, so that the command has read a part of it.
    child.stdin.write(Buffer.alloc(1_000_000));
    if (child.stdin.writableNeedDrain) await once(child.stdin, 'drain');
    child.kill(signal);
    expect(await ended).toMatchObject({ status, stdout: '' });
    expect(await namesOf(shell)).toEqual(before);
  });
});

test('a list without rows prints nothing, and a note on a terminal', async () => {
  const shell = await workspaceShell();
  const words = ['upload', '-', '--name', 'unread.txt', '--share', '--json'];
  const { document, link } = JSON.parse((await shell.run(words, 'text')).stdout);
  const lists = [
    ['views', 'list', link.id],
    ['documents', 'views', document.id],
    ['documents', 'list', '--query', 'no such name'],
    ['links', 'list', '--query', 'no such name'],
  ];
  const nothing = { status: 0, stdout: '', stderr: '' };
  for (const list of lists) {
    expect(await shell.run(list)).toEqual(nothing);
    expect(await shell.run([...list, '--json'])).toEqual(nothing);
  }
  const shown = await shell.runOnTerminal(['views', 'list', link.id, '--all']);
  expect(shown).toEqual({ status: 0, text: 'Rows: 0.\n' });
});
