// Commands about links.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openShell, type Shell } from '../support/cli.ts';
import { type RunningProgram, startProgram } from '../support/program.ts';

type CreatedLink = { readonly id: string; readonly document_id: string };

let program: RunningProgram;
beforeAll(async () => {
  program = await startProgram();
});
afterAll(() => program.remove());

const workspaceShell = () =>
  openShell({
    LATCHKEY_BASE_URL: new URL(program.env.LATCHKEY_BASE_URL).origin,
    LATCHKEY_API_KEY: program.env.API_KEY,
  });

async function createLink(shell: Shell): Promise<CreatedLink> {
  const words = ['upload', '-', '--name', 'Named link.txt', '--share', '--json'];
  return JSON.parse((await shell.run(words, 'text')).stdout).link;
}

test('the list of links has the document of each', async () => {
  const shell = await workspaceShell();
  const { id, document_id: documentId } = await createLink(shell);
  const { stdout } = await shell.run(['links', 'list']);
  const row = stdout.split('\n').find((line) => line.startsWith(id));
  expect(row?.split('\t')).toContain(documentId);
  const { text } = await shell.runOnTerminal(['links', 'list'], [], 200);
  expect(text).toContain('DOCUMENT');
  expect(text).toContain(documentId);
});
