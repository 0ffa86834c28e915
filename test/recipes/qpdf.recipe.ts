// qpdf from Debian checks the files that a link with a watermark sends.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { Visitor } from '../support/gate-visitor.ts';
import { startTestApp } from '../support/harness.ts';
import { makePdf } from '../support/pdf.ts';
import { makeLink, makePng, upload } from '../support/sharing-api.ts';

const run = promisify(execFile);

it('qpdf finds no error in a file with a watermark', async () => {
  await run('dpkg', ['--status', 'qpdf']).catch((cause) => {
    throw new Error('missing package: apt-get install qpdf', { cause });
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-qpdf-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const testApp = await startTestApp();
  onTestFinished(() => testApp.remove());
  const sample = await readFile(path.join(import.meta.dirname, '../../docs/sample.pdf'));
  const originals = [
    ['sample.pdf', sample],
    ['terms.pdf', makePdf({ pages: 300, text: 'Terms' })],
    ['plan.png', makePng(400, 300)],
  ] as const;
  const npages = async (file: string) => (await run('qpdf', ['--show-npages', file])).stdout;
  for (const [name, bytes] of originals) {
    const { id } = await upload(testApp, bytes, name);
    const link = await makeLink(testApp, id, { watermark: true, allow_download: true });
    const visitor = new Visitor(link);
    await visitor.get();
    const headers = { cookie: visitor.cookie };
    const answer = await fetch(`${link.url}/download`, { headers });
    const stamped = path.join(folder, `${name}.stamped`);
    await writeFile(stamped, Buffer.from(await answer.arrayBuffer()));
    const { stdout } = await run('qpdf', ['--check', stamped]);
    expect(stdout, name).toContain('No syntax or stream encoding errors found');
    const original = path.join(folder, name);
    await writeFile(original, bytes);
    expect(await npages(stamped), name).toBe(
      name.endsWith('.png') ? '1\n' : await npages(original),
    );
  }
});
