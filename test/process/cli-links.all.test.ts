// Commands about links.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { openWorkspaceShell, type Shell, startServer, valuesOf } from '../support/cli.ts';
import { itHoldsFor } from '../support/rule.ts';
import { bearer, makePng } from '../support/sharing-api.ts';
import { exchangedToken } from '../support/token-exchange.ts';
import { useStarted } from '../support/use-started.ts';

type CreatedLink = { readonly id: string; readonly url: string; readonly document_id: string };

const program = useStarted(() => startServer());

const workspaceShell = () => openWorkspaceShell(program);

async function createLink(shell: Shell): Promise<CreatedLink> {
  const words = ['upload', '-', '--name', 'Named link.txt', '--share', '--json'];
  return JSON.parse((await shell.run(words, 'text')).stdout).link;
}

/** A new client gets the file for the staff user. */
async function readForStaff(name: string, url: string): Promise<void> {
  const { LATCHKEY_BASE_URL, STAFF_EMAIL, STAFF_PASSWORD } = program.env;
  const publicUrl = new URL(LATCHKEY_BASE_URL).origin;
  const send = async (path: string, body: object, token = '') => {
    const headers = { ...bearer(token), 'content-type': 'application/json' };
    const options = { method: 'POST', headers, body: JSON.stringify(body) };
    return JSON.parse(await (await fetch(LATCHKEY_BASE_URL + path, options)).text());
  };
  const signIn = { email: STAFF_EMAIL, password: STAFF_PASSWORD };
  const { access_token: token } = await send('/sessions', signIn);
  const client = { name, scopes: ['documents:read'], may_act: ['staff'] };
  const { client: created, client_secret: text } = await send('/clients', client, token);
  const agent = { ownerId: created.id, credentialId: '', text };
  const exchanged = await exchangedToken({ publicUrl }, agent, token);
  expect((await fetch(url, { headers: bearer(exchanged) })).status).toBe(200);
}

test('a link is found by its address, and by the last part of it', async () => {
  const shell = await workspaceShell();
  const { id, url } = await createLink(shell);
  await createLink(shell);
  const slug = url.split('/').at(-1) ?? '';
  for (const name of [id, url, `${url}/?from=mail#page=2`, slug]) {
    const shown = await shell.run(['links', 'get', name]);
    expect(valuesOf(shown), name).toMatchObject({ id, url });
  }
  for (const words of [
    ['views', 'list', url],
    ['views', 'export', url],
    ['links', 'insight', url],
    ['links', 'update', url, '--name', 'Renamed'],
    ['open', url, '--print'],
    ['links', 'revoke', url],
  ]) {
    expect(await shell.run(words), words.join(' ')).toMatchObject({ status: 0 });
  }
  const revoked = JSON.parse((await shell.run(['links', 'get', id, '--json'])).stdout);
  expect(revoked).toMatchObject({ name: 'Renamed', revoke_time: expect.any(String) });
});

test('each command that creates links can let programs read them', async () => {
  const shell = await workspaceShell();
  const share = ['upload', '-', '--name', 'For programs.txt', '--share', '--program-access'];
  const { document, link } = JSON.parse((await shell.run([...share, '--json'], 'text')).stdout);
  expect(link).toMatchObject({ program_access: true });
  const createFor = ['links', 'create-for', document.id, '-', '--program-access', '--json'];
  const { links } = JSON.parse((await shell.run(createFor, 'ada@board.example\n')).stdout);
  expect(links).toMatchObject([{ program_access: true, recipient: 'ada@board.example' }]);
  const unshared = await shell.run(['upload', '-', '--name', 'a.txt', '--program-access'], 'text');
  expect(unshared).toMatchObject({ status: 2, stderr: expect.stringContaining('needs --share') });
});

test('an upload says whether a new version has another type', async () => {
  const shell = await workspaceShell();
  const { document_id: documentId } = await createLink(shell);
  const words = ['upload', '-', '--name', 'Named link.txt', '--document', documentId];
  const changed = 'The type of the document changed from text/plain to image/png.';
  for (const [bytes, line] of [
    ['more text', ''],
    [makePng(8, 8), `${changed}\n`],
  ] as const) {
    const ran = await shell.run(words, bytes);
    expect(ran).toMatchObject({ status: 0, stdout: `${documentId}\n` });
    expect(ran.stderr.replace(/^Uploaded .*\n/, '')).toBe(line);
  }
});

test('each command that changes a link warns if readers cannot open the document', async () => {
  const shell = await workspaceShell();
  const { id, document_id: documentId } = await createLink(shell);
  const warning =
    'Readers cannot open the document. A watermark needs a PDF, Office, JPEG or PNG file. ' +
    'Share it without --watermark.\n';
  for (const words of [
    ['links', 'create', documentId, '--watermark'],
    ['links', 'create', documentId, '--watermark', '--json'],
    ['links', 'create-for', documentId, '-', '--watermark'],
    ['links', 'update', id, '--watermark'],
  ]) {
    const ran = await shell.run(words, 'ada@board.example\n');
    expect(ran, words.join(' ')).toMatchObject({ status: 0, stderr: warning });
  }
  expect(await shell.run(['links', 'create', documentId])).toMatchObject({ stderr: '' });
});

itHoldsFor([
  ['https://links.example.com/s/abcdefghijklmnopqrstuv', 66, 'no link with the address'],
  ['abcdefghijklmnopqrstuv', 66, 'no link with the address'],
  ['report', 2, 'the id of a link, lnk_…, or its address'],
])('a command refuses another text, and says how to find a link', async (name, status, text) => {
  const shell = await workspaceShell();
  const ran = await shell.run(['links', 'revoke', name]);
  expect(ran).toMatchObject({ status, stdout: '' });
  expect(ran.stderr).toContain(text);
  expect(ran.stderr).toContain('latchkey links list');
});

test('the list of links has the document of each', async () => {
  const shell = await workspaceShell();
  const { id, document_id: documentId } = await createLink(shell);
  const document = JSON.parse((await shell.run(['documents', 'get', documentId, '--json'])).stdout);
  const { stdout } = await shell.run(['links', 'list']);
  const row = stdout.split('\n').find((line) => line.startsWith(id));
  expect(row?.split('\t')).toContain(document.name);
  const { text } = await shell.runOnTerminal(['links', 'list'], [], 200);
  expect(text).toContain('DOCUMENT');
  // Also in place of the name that the link does not have.
  const shown = text.split('\n').find((line) => line.startsWith(id)) ?? '';
  expect(shown.split(document.name)).toHaveLength(3);
});

test('links are listed by state and reader, and several are changed and revoked', async () => {
  const shell = await workspaceShell();
  const [first, second, kept] = [
    await createLink(shell),
    await createLink(shell),
    await createLink(shell),
  ];
  const made = [first, second, kept].map(({ id }) => id).sort();
  const idsIn = async (...filter: string[]) => {
    const listed = await shell.run(['links', 'list', '--all', '--json', ...filter]);
    expect(listed).toMatchObject({ status: 0 });
    const rows = listed.stdout.trimEnd().split('\n').filter(Boolean);
    const ids = rows.map((row): string => JSON.parse(row).id);
    return ids.filter((id) => made.includes(id)).sort();
  };
  expect(await idsIn('--state', 'active')).toEqual(made);
  await shell.run(['links', 'update', kept.id, '--allow', '@board.example']);
  expect(await idsIn('--reader', '@board.example')).toEqual([kept.id]);
  const unknown = await shell.run(['links', 'list', '--state', 'gone']);
  expect(unknown).toMatchObject({ status: 2, stdout: '' });

  const file = path.join(shell.home, 'changes.json');
  const changes = [first, second].map(({ id: link_id }) => ({
    ...{ link_id, updateMask: 'name', name: 'Changed together' },
  }));
  await writeFile(file, JSON.stringify(changes));
  expect(await shell.run(['links', 'batch-update', '--requests', file])).toMatchObject({
    status: 0,
  });
  expect(await idsIn('--query', 'Changed together')).toEqual([first.id, second.id].sort());

  const revoked = await shell.run(['links', 'batch-revoke', first.id, second.id]);
  expect(revoked).toMatchObject({ status: 0, stderr: 'Done.\n' });
  expect(await idsIn('--state', 'revoked')).toEqual([first.id, second.id].sort());
  const wrong = await shell.run(['links', 'batch-revoke', kept.id, 'lnk_unknown']);
  expect(wrong.stderr).toContain('ids[1]');
  expect(await idsIn('--state', 'active')).toEqual([kept.id]);
});

test('a terminal of 80 columns shows which links are revoked, and when they expire', async () => {
  const shell = await workspaceShell();
  const { id, document_id: documentId } = await createLink(shell);
  await shell.run(['links', 'update', id, '--name', 'For the board', '--expires', '30d']);
  await shell.run(['links', 'revoke', id]);
  const shown = JSON.parse((await shell.run(['links', 'get', id, '--json'])).stdout);
  const minuteOf = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 16)}Z`;

  const list = ['links', 'list', '--document', documentId];
  const { text } = await shell.runOnTerminal(list);
  const [titles, row] = text.split('\n').map((line) => line.split(/ {2,}/));
  expect(titles?.map((title) => stripVTControlCharacters(title))).toEqual([
    'ID',
    'NAME',
    'REVOKED',
    'VIEWS',
    'EXPIRES',
  ]);
  expect(row).toEqual([
    id,
    'For th…',
    minuteOf(shown.revoke_time),
    '0',
    minuteOf(shown.expire_time),
  ]);
  for (const columns of [80, 120, 160, 200]) {
    const { text: wide } = await shell.runOnTerminal(list, [], columns);
    // An address is in full, or is left out.
    expect(wide.includes('ADDRESS'), String(columns)).toBe(wide.includes(shown.url));
  }
});

test('the views name the program that read for a person', async () => {
  const shell = await workspaceShell();
  const { id, url } = await createLink(shell);
  const options = ['--allow-download', '--program-access'];
  await shell.run(['links', 'update', id, ...options]);
  await readForStaff('Assistant', `${url}/download`);
  const words = ['views', 'list', id];
  await expect
    .poll(async () => (await shell.run(words)).stdout.split('\t').slice(1, 4))
    .toEqual([program.env.STAFF_EMAIL, 'true', 'Assistant']);
  const { text } = await shell.runOnTerminal(words);
  expect(text).toMatch(/READ BY[^\n]*\n[^\n]* Assistant/);
});

test('figures of pages and days are tables on a terminal, and JSON elsewhere', async () => {
  const shell = await workspaceShell();
  const { id } = await createLink(shell);
  const words = ['links', 'insight', id, '--days', '2'];
  const { days } = JSON.parse((await shell.run([...words, '--json'])).stdout);
  expect(days).toHaveLength(2);
  expect(valuesOf(await shell.run(words)).days).toBe(
    days.map((day: object) => JSON.stringify(day)).join(' '),
  );
  const { text } = await shell.runOnTerminal(words);
  // Days without views are left out.
  expect(stripVTControlCharacters(text)).toMatch(/^view count +0\n[^{]*$/);
  expect(text).not.toContain('DAY');
});

test('--copy copies the address of a new link, or warns that it cannot', async () => {
  const shell = await workspaceShell();
  const { document_id: documentId } = await createLink(shell);
  const words = ['links', 'create', documentId, '--copy', '--json'];
  // The folder has no other program that copies.
  const programs = path.join(shell.home, 'programs');
  const clipboard = path.join(shell.home, 'clipboard');
  await mkdir(programs);
  shell.env.PATH = programs;

  const failed = await shell.run(words);
  expect(failed.status).toBe(0);
  expect(JSON.parse(failed.stdout).url).toContain('/s/');
  expect(failed.stderr).toContain('Cannot copy the address of the link to the clipboard');

  const script = (text: string) => `#!/bin/sh\n${text}\n`;
  await writeFile(path.join(programs, 'wl-copy'), script('exit 1'), { mode: 0o700 });
  await writeFile(path.join(programs, 'xclip'), script(`exec /bin/cat > '${clipboard}'`), {
    mode: 0o700,
  });
  const copied = await shell.run(words);
  expect(copied).toMatchObject({
    status: 0,
    stderr: 'Copied the address of the link to the clipboard.\n',
  });
  expect(await readFile(clipboard, 'utf8')).toBe(JSON.parse(copied.stdout).url);
  for (const wrong of [
    ['a', '--copy'],
    ['a', 'b', '--share', '--copy'],
  ]) {
    await writeFile(path.join(shell.home, 'a'), 'text');
    await writeFile(path.join(shell.home, 'b'), 'text');
    expect((await shell.run(['upload', ...wrong])).stderr).toMatch(/^--copy (needs|cannot)/);
  }
});
