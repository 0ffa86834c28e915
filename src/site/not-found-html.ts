// The HTML that a browser gets for a path that does not exist.
import type { Assets } from '../base/http/assets.ts';
import { type Html, html } from '../base/http/html.ts';
import { htmlHeaders } from '../base/http/html-headers.ts';

export type NotFoundHtml = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export function createNotFoundHtml(assets: Assets) {
  const own = html`<p>Check the address, or <a href="/console">open the console</a>.</p>`;
  return { own: render(assets, own), domain: render(assets, html`<p>Check the address.</p>`) };
}

function render(assets: Assets, text: Html): NotFoundHtml {
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>Page not found · Latchkey</title>
<link rel="icon" type="image/svg+xml" href="${assets.addressOf('web/viewer/mark.svg')}">
<link rel="stylesheet" href="${assets.addressOf('web/viewer/pages.css')}">
</head>
<body class="plain"><main class="card">
<h1>Page not found</h1>
${text}
</main></body>
</html>
`;
  return { headers: { ...htmlHeaders(), vary: 'accept' }, body: body.text };
}
