// The HTML of shared links. Styles and script: web/viewer.
import type { Assets } from '../../http/assets.ts';
import { formatSize } from '../../http/format-size.ts';
import { type Html, html } from '../../http/html.ts';
import { htmlHeaders } from '../../http/html-headers.ts';
import { inlineContentTypes } from '../../http/inline-content-types.ts';
import type { RouteReply } from '../../http/route.ts';
import type { SharedDocument } from '../links/links.ts';
import { type GateForm, renderGateForm } from './forms.ts';
import type { StepRefusal } from './gate-steps.ts';

const headers = htmlHeaders();

/** Printing uses pictures of the pages, which the viewer's script has drawn. */
const printableHeaders = htmlHeaders({ 'img-src': "'self' blob:" });

export type GateHtml = {
  unknown(): RouteReply;
  gone(): RouteReply;
  /** Asks for the next step of the gate. Reveals nothing about the document. */
  ask(form: GateForm, refusal?: StepRefusal): RouteReply;
  document(shared: SharedDocument): RouteReply;
};

export function createGateHtml(assets: Assets): GateHtml {
  const style = assets.addressOf('web/viewer/pages.css');
  const script = assets.entry('web/viewer/viewer.ts');
  const icon = assets.addressOf('web/viewer/mark.svg');

  // The browser fetches the imported modules at once, and not one after the other.
  const scriptTags = html`<script type="module" src="${script.file}"></script>
${script.imports.map((file) => html`<link rel="modulepreload" href="${file}">`)}`;

  function htmlReply(status: number, title: string, body: Html, scripted = false): RouteReply {
    const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${style}">
${scripted ? scriptTags : undefined}
</head>
${body}
</html>
`;
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
        'It has expired or was revoked. Ask the sender for a new link.',
      ),

    ask(form, refusal) {
      const { status = 200, retryAfterSeconds, failure } = refusal ?? {};
      const reply = htmlReply(status, 'A document was shared with you', renderGateForm(form));
      const wait =
        retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      return {
        ...reply,
        headers: { ...reply.headers, ...wait },
        ...(failure === undefined ? {} : { failure }),
      };
    },

    document(shared) {
      const reply = htmlReply(200, shared.document.name, documentBody(shared), true);
      return isPrintable(shared) ? { ...reply, headers: printableHeaders } : reply;
    },
  };
}

function documentBody({ link, document }: SharedDocument): Html {
  const base = `/s/${link.slug}`;
  const mayDownload = link.allow_download === 1;
  const kind = kindOf(document.content_type);
  const button = (style: string) =>
    mayDownload
      ? html`<a class="${style}" href="${base}/download" download>Download</a>`
      : undefined;
  const data = html`data-kind="${kind}" data-file="${base}/file" data-view="${base}/view" data-name="${document.name}"
data-size="${document.size_bytes}"${mayDownload ? html` data-download="${base}/download"` : undefined}`;
  const content = {
    pdf: () => html`<noscript><section class="notice"><h2>JavaScript is required</h2>
<p>Turn on JavaScript in your browser to view this document.</p>
</section></noscript>`,
    image: () => html`<img src="${base}/file" alt="${document.name}">`,
    other: () => html`<section class="notice file"><h2>${document.name}</h2>
<p>${mayDownload ? 'There is no preview for this file type. Download the file to open it.' : 'There is no preview for this file type, and the sender does not allow downloads.'}</p>
<p class="size">${formatSize(document.size_bytes, { locale: 'en' })}</p>
${button('button primary')}</section>`,
  }[kind]();
  return html`<body class="document">
<header class="top"><h1 id="name"><span>${document.name}</span></h1>${kind === 'other' ? undefined : button('button')}</header>
<main id="viewer" aria-labelledby="name" ${data}>${content}</main>
</body>`;
}

function isPrintable({ link, document }: SharedDocument): boolean {
  return link.allow_download === 1 && kindOf(document.content_type) === 'pdf';
}

function kindOf(contentType: string): 'pdf' | 'image' | 'other' {
  if (contentType === 'application/pdf') return 'pdf';
  return inlineContentTypes.has(contentType) ? 'image' : 'other';
}
