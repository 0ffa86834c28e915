// The parts of the HTML of a link that show its workspace and a title.
import { createHash } from 'node:crypto';
import mime from 'mime';
import { type Html, html } from '../../base/http/html.ts';
import type { Brand } from '../brand/brand.ts';
import type { Shared, SharedDocument } from '../links/links.ts';

export type Presentation = {
  readonly brand: Brand;
  readonly title: string;
};

/** The name of the document or the folder, unless the link hides it. */
export function titleOf(shared: Shared): string | undefined {
  if (shared.link.show_title !== 1) return undefined;
  return 'folder' in shared ? shared.folder.name : shared.document.name;
}

export function presentationOf(shared: Shared, brand: Brand): Presentation {
  const what = shared.link.folder_id === null ? 'document' : 'folder';
  return { brand, title: titleOf(shared) ?? `A ${what} was shared with you` };
}

/** A hidden name is replaced, with the extension that the reader's computer needs. */
export function shownNameOf(shared: SharedDocument): string {
  const { name, content_type } = shared.document;
  // In a room, `show_title` concerns the name of the folder.
  if (shared.link.folder_id !== null) return name;
  return titleOf(shared) ?? `Document${shownExtensionOf(name, content_type)}`;
}

export function brandStyle({ colors }: Brand) {
  if (colors === undefined) return undefined;
  const { accent, strong, ink, onLight, onDark } = colors;
  const style = html`:root{--brand:${accent};--brand-strong:${strong};--brand-ink:${ink};
--accent:${onLight.line};--accent-strong:${onLight.strong}}
@media(prefers-color-scheme:dark){:root{--accent:${onDark.line};--accent-strong:${onDark.strong}}}`;
  const digest = createHash('sha256').update(style.text).digest('base64');
  return {
    style: html`<style>${style}</style>`,
    policy: { 'style-src': `'self' 'sha256-${digest}'` },
  };
}

export const logoOf = ({ logoPath, workspaceName }: Brand): Html | undefined =>
  logoPath === '' ? undefined : html`<img class="logo" src="${logoPath}" alt="${workspaceName}">`;

/** The icon of the browser tab: the logo, or the mark of the service at `markPath`. */
export const iconOf = (brand: Brand | undefined, markPath: string): Html =>
  brand === undefined || brand.logoPath === ''
    ? html`<link rel="icon" type="image/svg+xml" href="${markPath}">`
    : html`<link rel="icon" href="${brand.logoPath}">`;

export const isBranded = ({ logoPath, colors }: Brand) => logoPath !== '' || colors !== undefined;

/** For previews of the link in messages (The Open Graph protocol). */
export function openGraph({ brand, title }: Presentation): Html {
  const { workspaceName, logoUrl } = brand;
  const image =
    logoUrl === '' ? undefined : html`\n<meta property="og:image" content="${logoUrl}">`;
  return html`<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="Shared by ${workspaceName}">
<meta property="og:site_name" content="${workspaceName}">${image}
<meta name="twitter:card" content="summary">`;
}

/** Types that file-type reports and the database of mime does not know, or knows incompletely. */
const moreExtensions: Readonly<Record<string, readonly string[]>> = {
  'application/json': ['geojson'],
  'application/x-cfb': ['doc', 'dot', 'msg', 'ppt', 'xls'],
  'application/x-sqlite3': ['db', 'sqlite'],
  'audio/aiff': ['aif', 'aiff'],
  'audio/flac': ['flac'],
  'image/apng': ['png'],
  'text/vcard': ['vcf'],
  'video/matroska': ['mkv'],
  'video/vnd.avi': ['avi'],
};

/**
 * Returns an extension of the content type, with its dot: the one of the name, if the type has it.
 * Returns an empty string if none is known. The end of a name, such as in "With John.Smith", is
 * not always an extension.
 */
export function shownExtensionOf(name: string, contentType: string): string {
  const named = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const more = moreExtensions[contentType] ?? [];
  const isKnown = mime.getAllExtensions(contentType)?.has(named) || more.includes(named);
  if (isKnown) return `.${named}`;
  if (contentType === 'application/octet-stream') return '';
  const usual = mime.getExtension(contentType);
  return usual === null ? '' : `.${usual}`;
}
