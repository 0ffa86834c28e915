// A conversion that writes too many files, or too large ones, by programs that stand in for
// LibreOffice.
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureFolder } from '../../src/sharing/previews/converter/folder-size.ts';
import { startTestApp } from '../support/harness.ts';
import { longDocx } from '../support/office-packages.ts';
import { itHoldsFor } from '../support/rule.ts';
import { callSharingApi, type DocumentFields, upload } from '../support/sharing-api.ts';

let folder: string;
beforeAll(async () => {
  // The sandbox hides the temporary folder.
  folder = await mkdtemp('/var/tmp/latchkey-conversions-');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Previewed = DocumentFields & { preview: string; preview_error: string };

const programs = {
  'many small files': 'cd "$TMPDIR" && seq 1 20000 | xargs touch',
  'many folders': 'cd "$TMPDIR" && seq 1 20000 | xargs mkdir',
  'several large files':
    'for i in 1 2 3 4 5; do head -c 100000000 /dev/zero > "$TMPDIR/$i"; sleep 1; done',
};

describe('a conversion', () => {
  itHoldsFor(Object.entries(programs), 3)('fails with too much', async (name, text) => {
    const officeCommand = path.join(folder, name.replaceAll(' ', '-'));
    await writeFile(officeCommand, `#!/bin/sh\n${text}\nsleep 60\n`, { mode: 0o755 });
    const test = await startTestApp({ config: { officeCommand } });
    try {
      const { id } = await upload(test, longDocx(1), 'one.docx');
      const read = async () =>
        (await callSharingApi<Previewed>(test, 'GET', `/documents/${id}`)).body;
      await expect
        .poll(async () => (await read()).preview, { timeout: 40_000 })
        .not.toBe('PREVIEW_PENDING');
      expect(await read()).toMatchObject({
        preview: 'PREVIEW_FAILED',
        preview_error:
          'LibreOffice wrote more than 10,000 temporary files, or more than 400 MiB in total.',
      });
    } finally {
      await test.remove();
    }
  });
});

describe('the size of a folder', () => {
  it('includes the folders within it, without following links', async () => {
    const inner = path.join(folder, 'measured', 'inner');
    await mkdir(inner, { recursive: true });
    await writeFile(path.join(inner, 'file'), Buffer.alloc(100_000));
    await truncate(path.join(inner, 'file'), 50_000_000);
    await symlink(folder, path.join(inner, 'link'));
    const { files, bytes } = await measureFolder(path.join(folder, 'measured'));
    expect(files).toBe(3);
    expect(bytes).toBeGreaterThanOrEqual(100_000);
    // A hole needs no space.
    expect(bytes).toBeLessThan(200_000);
    expect(await measureFolder(path.join(folder, 'missing'))).toEqual({ files: 0, bytes: 0 });
  });
});
