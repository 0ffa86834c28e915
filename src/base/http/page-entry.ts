// The links of the script of a page, and the nonce of its styles.
import type { Random } from '../crypto/ids.ts';
import type { Assets } from './assets.ts';
import { type Html, html } from './html.ts';

export function entryElements(assets: Assets, entry: string): readonly Html[] {
  const { file, styles, imports } = assets.entry(entry);
  const icon = assets.addressOf('web/viewer/mark.svg');
  return [
    html`<link rel="icon" type="image/svg+xml" href="${icon}">\n`,
    ...styles.map((style) => html`<link rel="stylesheet" href="${style}">\n`),
    ...imports.map((module) => html`<link rel="modulepreload" href="${module}">\n`),
    html`<script type="module" src="${file}"></script>\n`,
  ];
}

const nonceBytes = 16;

export const createNonce = (random: Random) => Buffer.from(random(nonceBytes)).toString('base64');
