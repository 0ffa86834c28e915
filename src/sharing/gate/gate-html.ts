// The HTML of shared links. Styles and script: web/viewer.

import type { RouteReply } from '../../api/routes/route.ts';
import type { Assets } from '../../base/http/assets.ts';
import { formatSize } from '../../base/http/format-size.ts';
import { type Html, html } from '../../base/http/html.ts';
import { htmlHeaders } from '../../base/http/html-headers.ts';
import { type ViewerKind, viewerKindOf } from '../../base/http/viewer-kinds.ts';
import type { Brand } from '../brand/brand.ts';
import type { SharedDocument } from '../links/links.ts';
import { type GateForm, renderGateForm } from './forms.ts';
import type { GateStep, StepRefusal } from './gate-steps.ts';
import {
  brandStyle,
  hiddenTitle,
  logoOf,
  openGraph,
  type Presentation,
  shownNameOf,
  titleOf,
} from './presentation.ts';

/** Printing uses pictures of the pages, which the viewer's script has drawn. */
const printablePolicy = { 'img-src': "'self' blob:" };

export type GateHtml = {
  unknown(): RouteReply;
  gone(): RouteReply;
  /** Asks for the next step of the gate. Reveals nothing about the document but a shown title. */
  ask(form: GateForm, presentation: Presentation, refusal?: StepRefusal): RouteReply;
  document(shared: SharedDocument, brand: Brand): RouteReply;
};

type Parts = {
  readonly presentation?: Presentation;
  readonly script?: string;
  readonly policy?: Readonly<Record<string, string>>;
};

export function createGateHtml(assets: Assets, publicUrl: string): GateHtml {
  const style = assets.addressOf('web/viewer/pages.css');
  const icon = assets.addressOf('web/viewer/mark.svg');

  /** The browser fetches the imported modules at once, and not one after the other. */
  function scriptTags(source: string): Html {
    const { file, imports } = assets.entry(source);
    return html`<script type="module" src="${file}"></script>
${imports.map((imported) => html`<link rel="modulepreload" href="${imported}">`)}`;
  }

  function htmlReply(status: number, title: string, body: Html, parts: Parts = {}): RouteReply {
    const { presentation, script, policy } = parts;
    const brand = presentation === undefined ? undefined : brandStyle(presentation.brand);
    const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${presentation === undefined ? undefined : openGraph(presentation, publicUrl)}
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${style}">${brand?.style}
${script === undefined ? undefined : scriptTags(script)}
</head>
${body}
</html>
`;
    const headers = htmlHeaders({ ...brand?.policy, ...policy });
    return { status, headers, body: text.text };
  }

  function message(status: number, title: string, text: string): RouteReply {
    const body = html`<body class="plain"><main class="card">
<h1>${title}</h1><p>${text}</p>
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
      const reply = htmlReply(status, presentation.title ?? hiddenTitle, body, {
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

    document(shared, brand) {
      const presentation = { brand, title: titleOf(shared) };
      const body = documentBody(shared, brand);
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

function documentBody(shared: SharedDocument, brand: Brand): Html {
  const { link, document } = shared;
  const name = shownNameOf(shared);
  const base = `/s/${link.slug}`;
  const file = `${base}/versions/${document.version}/file`;
  const mayDownload = link.allow_download === 1;
  const kind = viewerKindOf(document.content_type) ?? 'other';
  const button = (style: string) =>
    mayDownload
      ? html`<a class="${style}" href="${base}/download" download>Download</a>`
      : undefined;
  const data = html`data-kind="${kind}" data-file="${file}" data-view="${base}/view" data-name="${name}"
data-size="${document.size_bytes}" data-version="${document.version}"${mayDownload ? html` data-download="${base}/download"` : undefined}`;
  const content = contentOf(kind, { name, file, mayDownload });
  const notice = html`<section class="notice file"><h2>${name}</h2>
<p>${mayDownload ? 'There is no preview for this file type. Download the file to open it.' : 'There is no preview for this file type, and the sender doesn’t allow downloads.'}</p>
<p class="size">${formatSize(document.size_bytes, { locale: 'en' })}</p>
${button('button primary')}</section>`;
  const isBranded = brand.logoPath !== '' || brand.colors !== undefined;
  return html`<body class="document${isBranded ? ' branded' : ''}">
<header class="top">${logoOf(brand)}<h1 id="name"><span>${name}</span></h1>${kind === 'other' ? undefined : button('button')}</header>
<main id="viewer" aria-labelledby="name" ${data}>${content ?? notice}</main>
</body>`;
}

function isPrintable({ link, document }: SharedDocument): boolean {
  return link.allow_download === 1 && viewerKindOf(document.content_type) === 'pdf';
}

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
