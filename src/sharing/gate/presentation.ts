// The parts of the HTML of a link that show its workspace and the title of its document.
import { createHash } from 'node:crypto';
import { type Html, html } from '../../base/http/html.ts';
import type { Brand } from '../brand/brand.ts';
import type { SharedDocument } from '../links/links.ts';
import { extensionOf } from './extension.ts';

export type Presentation = {
  readonly brand: Brand;
  readonly title: string | undefined;
};

export const titleOf = ({ link, document }: SharedDocument) =>
  link.show_title === 1 ? document.name : undefined;

/** A hidden name is replaced, with the extension that the reader's computer needs. */
export function shownNameOf(shared: SharedDocument): string {
  const { name, content_type } = shared.document;
  return titleOf(shared) ?? `Document${extensionOf(name, content_type)}`;
}

export const hiddenTitle = 'A document was shared with you';

export function brandStyle({ colors }: Brand) {
  if (colors === undefined) return undefined;
  const { accent, strong, ink } = colors;
  const style = html`:root{--brand:${accent};--brand-strong:${strong};--brand-ink:${ink}}`;
  const digest = createHash('sha256').update(style.text).digest('base64');
  return {
    style: html`<style>${style}</style>`,
    policy: { 'style-src': `'self' 'sha256-${digest}'` },
  };
}

export const logoOf = ({ logoPath, workspaceName }: Brand): Html | undefined =>
  logoPath === '' ? undefined : html`<img class="logo" src="${logoPath}" alt="${workspaceName}">`;

/** For previews of the link in messages (The Open Graph protocol). */
export function openGraph({ brand, title }: Presentation, publicUrl: string): Html {
  const { workspaceName, logoPath } = brand;
  const image =
    logoPath === ''
      ? undefined
      : html`\n<meta property="og:image" content="${publicUrl}${logoPath}">`;
  return html`<meta property="og:type" content="website">
<meta property="og:title" content="${title ?? hiddenTitle}">
<meta property="og:description" content="Shared by ${workspaceName}">
<meta property="og:site_name" content="${workspaceName}">${image}
<meta name="twitter:card" content="summary">`;
}
