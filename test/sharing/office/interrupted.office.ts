// Conversions that are interrupted: by a kill of the service, and by a stop.
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { migratedPostgresDatabase } from '../../support/databases.ts';
import { type Dialect, describeDialects } from '../../support/matrix.ts';
import { longDocx } from '../../support/office-packages.ts';
import { newDataDir, type RunningProgram, startProgram } from '../../support/program.ts';
import { bearer } from '../../support/sharing-api.ts';

type Previewed = { id: string; preview: string; preview_error: string; page_count: number };

const pages = 600;

async function call(program: RunningProgram, route: string, body?: FormData): Promise<Previewed> {
  const response = await fetch(`http://127.0.0.1:${program.httpPort}/api/v1${route}`, {
    headers: bearer(program.env.API_KEY),
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as Previewed;
}

/** A database and a folder of documents for the nodes of an installation. */
async function newInstallation(dialect: Dialect) {
  const dataDir = await newDataDir();
  const postgres = async () => ({
    LATCHKEY_DATABASE_URL: await migratedPostgresDatabase(),
    LATCHKEY_BOOTSTRAP: 'demo',
  });
  const database = dialect === 'postgres' ? await postgres() : {};
  return {
    async startNode(name: string) {
      const temporary = path.join(dataDir, `tmp-${name}`);
      await mkdir(temporary, { recursive: true });
      const env = { ...database, LATCHKEY_OFFICE_COMMAND: 'soffice', TMPDIR: temporary };
      const program = await startProgram(env, dataDir);
      onTestFinished(() => program.remove());
      return { program, temporary };
    },
  };
}

type Node = { readonly program: RunningProgram; readonly temporary: string };

/** Waits until LibreOffice has started. */
async function expectConverting({ temporary }: Node): Promise<void> {
  await expect.poll(() => readdir(temporary)).toHaveLength(1);
  const [folder = ''] = await readdir(temporary);
  await expect
    .poll(() => readdir(path.join(temporary, folder, 'profile/user')))
    .not.toHaveLength(1);
}

async function startConverting(node: Node): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(longDocx(pages))]), 'long.docx');
  const { id } = await call(node.program, '/documents', form);
  await expectConverting(node);
  return id;
}

async function expectReady({ program, temporary }: Node, id: string): Promise<void> {
  const state = async () => (await call(program, `/documents/${id}`)).preview;
  await expect.poll(state).toBe('PREVIEW_READY');
  expect((await call(program, `/documents/${id}`)).page_count).toBe(pages);
  // The converter removes its folder after the service has stored the preview.
  await expect.poll(() => readdir(temporary)).toEqual([]);
}

const ways = {
  'is killed': (program: RunningProgram) => program.kill(),
  async stops(program: RunningProgram) {
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  },
};

describeDialects('a conversion', (dialect) => {
  for (const [way, end] of Object.entries(ways)) {
    it(`continues after the service ${way}, and leaves no files`, async () => {
      const { startNode } = await newInstallation(dialect);
      const node = await startNode('first');
      const id = await startConverting(node);
      await end(node.program);
      await expect.poll(() => readdir(node.temporary)).toEqual([]);
      await expectReady(await startNode('first'), id);
    });
  }
});

it('continues on another node after its node is killed', async () => {
  const { startNode } = await newInstallation('postgres');
  const first = await startNode('first');
  const second = await startNode('second');
  const id = await startConverting(first);
  expect(await readdir(second.temporary)).toEqual([]);

  await first.program.kill();

  await expectConverting(second);
  await expect.poll(() => readdir(first.temporary)).toEqual([]);
  await expectReady(second, id);
});
