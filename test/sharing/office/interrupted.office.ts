// Conversions that are interrupted: by a kill of the service, and by a stop.
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
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

async function startConverting() {
  const dataDir = await newDataDir();
  const temporary = path.join(dataDir, 'tmp');
  await mkdir(temporary);
  const env = { LATCHKEY_OFFICE_COMMAND: 'soffice', TMPDIR: temporary };
  const program = await startProgram(env, dataDir);
  onTestFinished(() => program.remove());
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(longDocx(pages))]), 'long.docx');
  const { id } = await call(program, '/documents', form);
  await expect.poll(() => readdir(temporary)).toHaveLength(1);
  const [folder = ''] = await readdir(temporary);
  // LibreOffice has started.
  await expect
    .poll(() => readdir(path.join(temporary, folder, 'profile/user')))
    .not.toHaveLength(1);
  return { program, env, dataDir, temporary, id };
}

const ways = {
  'is killed': (program: RunningProgram) => program.kill(),
  async stops(program: RunningProgram) {
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  },
};

for (const [way, end] of Object.entries(ways)) {
  it(`continues after the service ${way} during a conversion, and leaves no files`, async () => {
    const { program, env, dataDir, temporary, id } = await startConverting();
    await end(program);
    await expect.poll(() => readdir(temporary)).toEqual([]);
    const restarted = await startProgram(env, dataDir);
    onTestFinished(() => restarted.remove());
    const state = async () => (await call(restarted, `/documents/${id}`)).preview;
    await expect.poll(state).toBe('PREVIEW_READY');
    expect((await call(restarted, `/documents/${id}`)).page_count).toBe(pages);
    // The converter removes its folder after the service has stored the preview.
    await expect.poll(() => readdir(temporary)).toEqual([]);
  });
}
