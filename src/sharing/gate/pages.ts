// The HTML of a shared link's pages. Styles and script: web/viewer.
import type { Assets } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { htmlHeaders } from '../../http/html-headers.ts';
import { inlineTypes } from '../../http/inline-types.ts';
import type { RouteReply } from '../../http/route.ts';
import type { SharedDocument } from '../links/links.ts';
import type { Refusal } from './entrance.ts';
import { type Form, formBody } from './forms.ts';

const headers = htmlHeaders();

export type GatePages = {
  unknown(): RouteReply;
  gone(): RouteReply;
  /** Asks for what the link wants to know. Tells nothing of the document. */
  ask(form: Form, refusal?: Refusal): RouteReply;
  document(shared: SharedDocument): RouteReply;
};

export function createGatePages(assets: Assets): GatePages {
  const style = assets.addressOf('web/viewer/pages.css');
  const script = assets.addressOf('web/viewer/viewer.ts');
  const icon = assets.addressOf('web/viewer/mark.svg');

  function page(status: number, title: string, body: Html, scripted = false): RouteReply {
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
${scripted ? html`<script type="module" src="${script}"></script>` : undefined}
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
    return page(status, title, body);
  }

  return {
    unknown: () =>
      message(404, 'No such link', 'Please check the address, or ask the sender for a new one.'),

    gone: () =>
      message(
        410,
        'This link is no longer available',
        'It has expired or was withdrawn. Please ask the sender for a new one.',
      ),

    ask(form, refusal) {
      const { status = 200, retryAfterSeconds, failure } = refusal ?? {};
      const reply = page(status, 'A document was shared with you', formBody(form));
      const wait =
        retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      return {
        ...reply,
        headers: { ...reply.headers, ...wait },
        ...(failure === undefined ? {} : { failure }),
      };
    },

    document(shared) {
      return page(200, shared.document.name, documentBody(shared), true);
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
    pdf: () => html`<noscript><section class="notice"><h2>JavaScript is needed</h2>
<p>The document is shown by this page's own script, which your browser does not run.</p>
</section></noscript>`,
    image: () => html`<img src="${base}/file" alt="${document.name}">`,
    other: () => html`<section class="notice file"><h2>${document.name}</h2>
<p>${mayDownload ? 'This kind of file is not shown here. You can download it and open it on your device.' : 'This kind of file is not shown here, and the sender does not offer it as a download.'}</p>
<p class="size">${sizeText(document.size_bytes)}</p>
${button('button primary')}</section>`,
  }[kind]();
  return html`<body class="document">
<header class="top"><h1 id="name">${document.name}</h1>${kind === 'other' ? undefined : button('button')}</header>
<main id="viewer" aria-labelledby="name" ${data}>${content}</main>
</body>`;
}

/** Such as "1.4 MB". */
function sizeText(bytes: number): string {
  const step = Math.min(3, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const amount = bytes / 1000 ** step;
  const digits = step > 0 && amount < 10 ? 1 : 0;
  return `${amount.toFixed(digits)} ${['bytes', 'kB', 'MB', 'GB'][step]}`;
}

function kindOf(contentType: string): 'pdf' | 'image' | 'other' {
  if (contentType === 'application/pdf') return 'pdf';
  return inlineTypes.has(contentType) ? 'image' : 'other';
}
