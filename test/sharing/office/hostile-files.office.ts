// Hostile and broken Office files: each fails alone, reaches nothing, and leaves nothing behind.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conversionLimits } from '../../../src/sharing/previews/converter/conversion-errors.ts';
import { canIsolate } from '../../../src/sharing/previews/converter/sandbox.ts';
import { startTestApp } from '../../support/harness.ts';
import { type HostileFile, hostileOfficeFiles } from '../../support/hostile-office-files.ts';
import { itHoldsFor } from '../../support/rule.ts';
import {
  callSharingApi,
  type DocumentFields,
  makeLink,
  makePng,
  upload,
} from '../../support/sharing-api.ts';
import { useStarted } from '../../support/use-started.ts';

type Previewed = DocumentFields & { preview: string; preview_error: string };

const secret = 'LOCALSECRET';
const requests: string[] = [];
const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-hostile-'));
// The sandbox hides the temporary folder.
const outside = await mkdtemp('/var/tmp/latchkey-hostile-');
const secretFile = path.join(outside, 'secret.txt');
await writeFile(secretFile, `${secret},${secret}\n`);
const server = await listen();
const { port } = server.address() as AddressInfo;
const picture = path.join(outside, 'secret.png');
await writeFile(picture, makePng(8, 8));
const url = `http://127.0.0.1:${port}`;
const files = hostileOfficeFiles({ url, file: secretFile, picture });

function listen(): Promise<Server> {
  const created = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end('SERVERSECRET');
  });
  return new Promise((resolve) => created.listen(0, '127.0.0.1', () => resolve(created)));
}

/** Programs that stand in for those of the system. `unshare` fails, as in most containers. */
const refusing = path.join(folder, 'bin');
await mkdir(refusing);
await writeFile(path.join(refusing, 'unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
for (const name of ['convert', 'gs', 'pstoedit']) {
  const script = `#!/bin/sh\necho ${name} > ${outside}/secret.txt.program\n`;
  await writeFile(path.join(refusing, name), script, { mode: 0o755 });
}

const run = promisify(execFile);
const variables = ['TMPDIR', 'PATH'] as const;
const before = variables.map((name) => [name, process.env[name]] as const);
const warning = 'LibreOffice runs without namespaces';

afterAll(async () => {
  server.close();
  for (const made of [folder, outside]) await rm(made, { recursive: true, force: true });
});

const modes = {
  'in the sandbox of the system': '',
  'without namespaces': `${refusing}:`,
};

describe.each(Object.entries(modes))('a hostile file, %s', (_name, programs) => {
  const test = useStarted(() => startTestApp({ config: { officeCommand: 'soffice' } }));
  const temporary = path.join(folder, `tmp-${programs.length}`);
  const ids = new Map<string, string>();

  beforeAll(async () => {
    await mkdir(temporary);
    process.env.TMPDIR = temporary;
    process.env.PATH = programs + process.env.PATH;
    // All of them wait at the same time.
    for (const { name, fileName, bytes } of files) {
      ids.set(name, (await upload(test, bytes(), fileName)).id);
    }
  });
  afterAll(async () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  async function settledState(name: string): Promise<Previewed> {
    const read = async () => {
      const route = `/documents/${ids.get(name)}`;
      return (await callSharingApi<Previewed>(test, 'GET', route)).body;
    };
    await expect
      .poll(async () => (await read()).preview, { timeout: 600_000 })
      .not.toBe('PREVIEW_PENDING');
    return read();
  }

  /** The text and the list of pictures that readers of a link see. */
  async function readShown(documentId: string) {
    const link = await makeLink(test, documentId);
    const [cookie = ''] = (await fetch(link.url)).headers.getSetCookie();
    const headers = { cookie: cookie.replace(/;.*/, '') };
    const pdf = await fetch(`${link.url}/file`, { headers });
    const file = path.join(folder, 'shown.pdf');
    await writeFile(file, Buffer.from(await pdf.arrayBuffer()));
    const text = (await run('pdftotext', [file, '-'])).stdout;
    const pictures = (await run('pdfimages', ['-list', file])).stdout.trim().split('\n').slice(2);
    return { text, pictures };
  }

  itHoldsFor(files, 37)('is converted or refused alone', async (file: HostileFile) => {
    const { id, preview, preview_error: error } = await settledState(file.name);
    const outcome = preview === 'PREVIEW_UNSPECIFIED' ? 'download' : preview;
    expect(file.outcomes).toContain(outcome);
    if (file.error !== undefined) expect(error).toMatch(file.error);
    expect(error === '').toBe(outcome !== 'PREVIEW_FAILED');
    if (outcome !== 'PREVIEW_READY') return;
    const shown = await readShown(id);
    expect(shown.text).not.toMatch(/SECRET/);
    if (file.hasPlaceholder !== true) expect(shown.pictures).toEqual([]);
  });

  it('is converted with namespaces if and only if the system allows them', async () => {
    const settings = { hidden: [], limits: conversionLimits };
    expect((await test.logText()).includes(warning)).toBe(!(await canIsolate(settings)));
    if (programs !== '') expect(await canIsolate(settings)).toBe(false);
  });

  it('sends no request, runs no macro or program, and writes only into its folder', async () => {
    expect(requests).toEqual([]);
    expect((await readdir(outside)).toSorted()).toEqual(['secret.png', 'secret.txt']);
  });

  it('leaves nothing in the temporary folder, and converts the next file', async () => {
    await expect.poll(() => readdir(temporary)).toEqual([]);
    const sockets = async () =>
      (await readdir('/tmp')).filter((name) => name.startsWith('OSL_PIPE'));
    // Conversions of other tests may run.
    await expect.poll(sockets).toEqual([]);
    const { id } = await upload(test, Buffer.from('{\\rtf1 Fine}'), 'fine.rtf');
    ids.set('fine', id);
    expect((await settledState('fine')).preview).toBe('PREVIEW_READY');
  });
});
