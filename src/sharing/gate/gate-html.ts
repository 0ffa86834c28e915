// The HTML of shared links. Styles and script: web/viewer.

import type { RouteReply } from '../../api/routes/route.ts';
import type { Assets } from '../../base/http/assets.ts';
import { formatSize } from '../../base/http/format-size.ts';
import { type Html, html } from '../../base/http/html.ts';
import { htmlHeaders } from '../../base/http/html-headers.ts';
import { isStampable } from '../../base/http/pdf-types.ts';
import { type ViewerKind, viewerKindOf } from '../../base/http/viewer-kinds.ts';
import type { LinkRow } from '../../storage/schema/schema.ts';
import type { Brand } from '../brand/brand.ts';
import type { SharedDocument } from '../links/links.ts';
import type { ShownDocument } from '../previews/previews.ts';
import type { RoomFolder } from '../rooms/rooms.ts';
import { type GateForm, renderGateForm } from './forms.ts';
import type { GateStep } from './gate-steps.ts';
import {
  brandStyle,
  iconOf,
  isBranded,
  logoOf,
  openGraph,
  type Presentation,
  presentationOf,
  shownNameOf,
} from './presentation.ts';
import {
  documentTrail,
  entryPath,
  type FolderContent,
  folderListing,
  folderNameOf,
  folderTrail,
  type RoomFrame,
  roomPath,
  roomTree,
} from './room-html.ts';
import type { StepRefusal } from './step-refusals.ts';

/** Printing uses pictures of the pages, which the viewer's script has drawn. */
const printablePolicy = { 'img-src': "'self' blob:" };

export type GateHtml = {
  unknown(): RouteReply;
  gone(): RouteReply;
  /** Asks for the next step of the gate. Reveals nothing about the document but a shown title. */
  ask(form: GateForm, presentation: Presentation, refusal?: StepRefusal): RouteReply;
  /** `frame`: the folders around a document of a room. */
  document(shared: ShownFile, brand: Brand, frame?: RoomFrame): RouteReply;
  folder(
    folder: RoomFolder,
    brand: Brand,
    shown: Pick<RoomFrame, 'branches'> & { readonly content: FolderContent },
  ): RouteReply;
  /** The room does not contain what the path names, or no longer. */
  noEntry(link: LinkRow): RouteReply;
  /** A search of the room has to wait for others. */
  busy(): RouteReply;
};

type ShownFile = SharedDocument &
  Pick<ShownDocument, 'state'> & {
    /** Empty for an anonymous reader. */
    readonly readerEmail: string;
  };

/** A conversion usually takes a few seconds. */
const refreshSeconds = 3;

type Parts = {
  readonly presentation?: Presentation;
  readonly script?: string;
  readonly isRefreshed?: boolean;
  readonly policy?: Readonly<Record<string, string>>;
};

export function createGateHtml(assets: Assets): GateHtml {
  const style = assets.addressOf('web/viewer/pages.css');
  const mark = assets.addressOf('web/viewer/mark.svg');

  /** The browser fetches the imported modules at once, and not one after the other. */
  function scriptTags(source: string): Html {
    const { file, imports } = assets.entry(source);
    return html`<script type="module" src="${file}"></script>
${imports.map((imported) => html`<link rel="modulepreload" href="${imported}">`)}`;
  }

  function htmlReply(status: number, title: string, body: Html, parts: Parts = {}): RouteReply {
    const { presentation, script, policy, isRefreshed } = parts;
    const brand = presentation === undefined ? undefined : brandStyle(presentation.brand);
    const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${title}</title>${isRefreshed === true ? html`\n<meta http-equiv="refresh" content="${refreshSeconds}">` : undefined}
${presentation === undefined ? undefined : openGraph(presentation)}
${iconOf(presentation?.brand, mark)}
<link rel="stylesheet" href="${style}">${brand?.style}
${script === undefined ? undefined : scriptTags(script)}
</head>
${body}
</html>
`;
    const headers = htmlHeaders({ ...brand?.policy, ...policy });
    return { status, headers, body: text.text };
  }

  function message(status: number, title: string, text: string, more?: Html): RouteReply {
    const body = html`<body class="plain"><main class="card">
<h1>${title}</h1><p>${text}</p>${more}
</main></body>`;
    return htmlReply(status, title, body);
  }

  return {
    unknown: () =>
      message(404, 'Link not found', 'Check the URL, or ask the sender for a new link.'),

    gone: () =>
      message(
        410,
        'This link is no longer available',
        'It expired, was revoked, or has no views left. Ask the sender for a new link.',
      ),

    ask(form, presentation, refusal) {
      const { status = 200, retryAfterSeconds, failure } = refusal ?? {};
      const body = renderGateForm(form, presentation);
      const script = scripts[form.step];
      const reply = htmlReply(status, presentation.title, body, {
        presentation,
        ...(script === undefined ? {} : { script }),
      });
      const wait =
        retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      return {
        ...reply,
        headers: { ...reply.headers, ...wait },
        ...(failure === undefined ? {} : { failure }),
      };
    },

    noEntry: (link) =>
      message(
        404,
        'This is no longer shared',
        'The sender moved, hid or deleted it.',
        link.folder_id === null
          ? undefined
          : html`<a class="button" href="${roomPath(link)}">Open the folder</a>`,
      ),

    busy() {
      const text = 'Too many searches are running. Reload the page in a moment.';
      const reply = message(429, 'Try again', text);
      return { ...reply, headers: { ...reply.headers, 'retry-after': '1' } };
    },

    folder(folder, brand, { branches, content }) {
      const { link, path } = folder;
      const query = 'query' in content ? content.query : '';
      const name = query === '' ? folderNameOf(link, folder.folder) : `Results for “${query}”`;
      const body = html`<body class="document room folder${isBranded(brand) ? ' branded' : ''}">
<header class="top">${logoOf(brand)}<h1 id="name"><span>${name}</span></h1>${folderTrail(folder, query)}</header>
<main id="listing" aria-labelledby="name">${folderListing(folder, content)}</main>
${roomTree(link, { path, branches }, folder.folder)}
</body>`;
      return htmlReply(200, name, body, { presentation: presentationOf(folder, brand) });
    },

    document(shared, brand, frame) {
      const presentation = presentationOf(shared, brand);
      const body = documentBody(shared, brand, frame);
      if (shared.state === 'pending') {
        return htmlReply(200, shownNameOf(shared), body, { presentation, isRefreshed: true });
      }
      return htmlReply(200, shownNameOf(shared), body, {
        ...{ presentation, script: 'web/viewer/viewer.ts' },
        ...(isPrintable(shared) ? { policy: printablePolicy } : {}),
      });
    },
  };
}

/** The scripts of the steps whose form is easier with one. */
const scripts: Partial<Record<GateStep, string>> = {
  code: 'web/viewer/gate.ts',
  agreement: 'web/viewer/agreement.ts',
};

function documentBody(shared: ShownFile, brand: Brand, frame?: RoomFrame): Html {
  const { link, document } = shared;
  const name = shownNameOf(shared);
  const base = frame === undefined ? `/s/${link.slug}` : entryPath(link, document);
  const file = `${base}/versions/${document.version}/file`;
  const kind = kindOf(shared);
  const mayDownload = shared.mayDownload && !lacksWatermark(shared);
  const button = (style: string) =>
    mayDownload
      ? html`<a class="${style}" href="${base}/download" download>Download</a>`
      : undefined;
  const isMarked = link.watermark === 1;
  // The size of a stamped file is not known before it arrives.
  const data = html`data-kind="${kind}" data-file="${file}" data-view="${base}/view" data-name="${name}"
data-size="${isMarked ? 0 : document.size_bytes}"${isMarked ? html` data-watermark="${shared.readerEmail}"` : undefined} data-version="${document.version}"${mayDownload ? html` data-download="${base}/download"` : undefined}`;
  const content = contentOf(kind, { name, file, mayDownload });
  const notice = html`<section class="notice file"${shared.state === 'pending' ? html` role="status"` : undefined}><h2>${name}</h2>
<p>${noticeText(shared)}</p>
<p class="size">${formatSize(document.size_bytes, { locale: 'en' })}</p>
${button('button primary')}</section>`;
  const style = `document${frame === undefined ? '' : ' room'}${isBranded(brand) ? ' branded' : ''}`;
  const trail = frame === undefined ? undefined : documentTrail(shared, frame);
  const tree = frame === undefined ? undefined : roomTree(link, frame, document);
  return html`<body class="${style}">
<header class="top">${logoOf(brand)}<h1 id="name"><span>${name}</span></h1>${kind === 'other' ? undefined : button('button')}${trail}</header>
<main id="viewer" aria-labelledby="name" ${data}>${content ?? notice}</main>${tree}
</body>`;
}

/** The type of the file that the viewer shows. A file with a watermark is a PDF. */
function kindOf({ link, document }: SharedDocument): ViewerKind | 'other' {
  if (link.watermark === 1) return isStampable(document.content_type) ? 'pdf' : 'other';
  return viewerKindOf(document.content_type) ?? 'other';
}

const lacksWatermark = ({ link, document }: SharedDocument) =>
  link.watermark === 1 && !isStampable(document.content_type);

function noticeText(shared: ShownFile): string {
  const { state, mayDownload } = shared;
  if (state === 'pending') return 'The preview is being prepared. This page refreshes itself.';
  if (lacksWatermark(shared)) {
    return 'The sender requires a watermark, but this file can’t have one. Ask the sender for a PDF.';
  }
  const why =
    state === 'failed'
      ? 'There is no preview of this file'
      : 'There is no preview for this file type';
  return mayDownload
    ? `${why}. Download the file to open it.`
    : `${why}, and the sender doesn’t allow downloads.`;
}

const isPrintable = (shared: SharedDocument) => shared.mayDownload && kindOf(shared) === 'pdf';

function contentOf(
  kind: ViewerKind | 'other',
  { name, file, mayDownload }: { name: string; file: string; mayDownload: boolean },
): Html | undefined {
  const media = html`src="${file}" aria-label="${name}" preload="metadata" controls${mayDownload ? undefined : html` controlslist="nodownload"`}`;
  switch (kind) {
    case 'image':
      return html`<img src="${file}" alt="${name}">`;
    case 'video':
      return html`<video ${media} playsinline></video>`;
    case 'audio':
      return html`<audio ${media}></audio>`;
    case 'other':
      return undefined;
    default:
      return html`<noscript><section class="notice"><h2>JavaScript is required</h2>
<p>Turn on JavaScript in your browser to view this document.</p>
</section></noscript>`;
  }
}
