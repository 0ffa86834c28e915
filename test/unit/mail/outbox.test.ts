import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Mail } from '../../../src/base/mail/mailer.ts';
import { openOutbox } from '../../../src/base/mail/outbox.ts';

const mail: Mail = { to: 'reader@example.com', subject: 'Grüße', text: 'Grüße\n\n.\n= end' };
const from = { name: 'Latchkey', address: 'no-reply@localhost' };
const start = Date.UTC(2026, 10, 21, 12, 30, 15, 7);

let dataDir: string;
let folder: string;
let time: number;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'latchkey-outbox-'));
  folder = path.join(dataDir, 'outbox');
  time = start;
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const open = (filesMax?: number) =>
  openOutbox({
    folder,
    from,
    random: randomBytes,
    now: () => time,
    ...(filesMax === undefined ? {} : { filesMax }),
  });

async function subjects(): Promise<(string | undefined)[]> {
  const names = (await readdir(folder)).sort();
  const mails = names.map(async (name) =>
    PostalMime.parse(await readFile(path.join(folder, name))),
  );
  return (await Promise.all(mails)).map(({ subject }) => subject);
}

it('a mail is a file that only its owner can read, named by its time', async () => {
  const outbox = await open();
  await outbox.send(mail);
  const [name = '', ...others] = await readdir(folder);
  expect(others).toEqual([]);
  expect(name).toMatch(/^20261121T123015\.007Z-[0-9A-Za-z]{22}\.eml$/);
  const file = path.join(folder, name);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await PostalMime.parse(await readFile(file))).toMatchObject({
    from,
    to: [{ address: mail.to, name: '' }],
    subject: mail.subject,
    date: '2026-11-21T12:30:15.000Z',
  });
});

it('a mail can be read back unchanged', async () => {
  const outbox = await open();
  await outbox.send(mail);
  const [name = ''] = await readdir(folder);
  const raw = await readFile(path.join(folder, name), 'utf8');
  expect((await PostalMime.parse(raw)).text?.trimEnd()).toBe(mail.text);
  // RFC 5322 requires CRLF.
  expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
});

it('a long link is on one line, to copy it from the file', async () => {
  const link = `http://127.0.0.1:8080/console/invitation#${'x'.repeat(80)}=`;
  const outbox = await open();
  const html = `<a href="${link}">Grüße</a>`;
  await outbox.send({ ...mail, text: `Grüße\n\n${link}`, html });
  const [name = ''] = await readdir(folder);
  const raw = await readFile(path.join(folder, name), 'utf8');
  expect(raw.split('\r\n')).toEqual(expect.arrayContaining(['Grüße', link, html]));
  expect(await PostalMime.parse(raw)).toMatchObject({ text: `Grüße\n\n${link}\n` });
});

it('an encoded word in a subject is shown as it is written', async () => {
  const outbox = await open();
  await outbox.send({ ...mail, subject: '1 new view: =?utf-8?q?Your=20invoice?=' });
  expect(await subjects()).toEqual(['1 new view: = ?utf-8?q?Your=20invoice?=']);
});

it('only the newest mails are kept', async () => {
  const outbox = await open(3);
  for (const subject of ['1', '2', '3', '4', '5']) {
    time += 1000;
    await outbox.send({ ...mail, subject });
  }
  expect(await subjects()).toEqual(['3', '4', '5']);
});

it('the mode of a folder that others could read is restricted', async () => {
  await open();
  await chmod(folder, 0o755);
  await open();
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

it('a mail whose file cannot be written fails', async () => {
  const outbox = await open();
  await rm(folder, { recursive: true });
  await writeFile(folder, '');
  await expect(outbox.send(mail)).rejects.toMatchObject({ code: 'unavailable' });
});
