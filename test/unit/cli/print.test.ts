import { expect, test } from 'vitest';
import type { CommandHost } from '../../../src/cli/base/command.ts';
import { writeRows } from '../../../src/cli/base/print.ts';

async function tableOn(columns: number | undefined): Promise<string> {
  let text = '';
  const stdout = {
    isTTY: true,
    ...(columns === undefined ? {} : { columns }),
    write(data: string | Uint8Array, done?: () => void) {
      text += String(data);
      done?.();
    },
  };
  const host = { env: { NO_COLOR: '1' }, stdout } as unknown as CommandHost;
  await writeRows(
    host,
    [{ path: 'id' }, { path: 'name' }],
    [{ id: 'doc_1', name: 'a'.repeat(90) }],
  );
  return text;
}

test.each([0, undefined])('a terminal with %s columns has a table of 80', async (columns) => {
  expect(await tableOn(columns)).toBe(`ID     NAME\ndoc_1  ${'a'.repeat(72)}…\n`);
});

test('a table is as wide as the terminal', async () => {
  expect(await tableOn(20)).toBe(`ID     NAME\ndoc_1  ${'a'.repeat(12)}…\n`);
});
