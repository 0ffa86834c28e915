// Screenshots for the docs. They are written to docs/images if LATCHKEY_WRITE_PICTURES is 'true'.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { settle, takePicture } from './browser-pages.ts';

export const docsDir = path.resolve(import.meta.dirname, '../../docs');

export const isWritingPictures = process.env.LATCHKEY_WRITE_PICTURES === 'true';

/** Takes a screenshot as soon as no transition runs. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  await settle(page);
  const image = await takePicture(page, name);
  if (isWritingPictures) await writeFile(path.join(docsDir, 'images', `${name}.png`), image);
}
