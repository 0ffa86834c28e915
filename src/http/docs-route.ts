// Serves the API reference: Redoc shows the OpenAPI document.
import type { Random } from '../crypto/ids.ts';
import type { Assets } from './assets.ts';
import { html } from './html.ts';
import { htmlHeaders } from './html-headers.ts';
import { createNonce, entryElements } from './page-entry.ts';
import type { HttpRoute, RouteReply } from './route.ts';
import type { RouteDoc } from './route-doc.ts';

const doc: RouteDoc = {
  id: 'docs',
  tag: 'API reference',
  summary: 'Read the API reference',
  description: 'Shows this document in a browser.',
  responses: { 200: { description: 'The HTML of the reference.', types: ['text/html'] } },
  errors: ['invalid_argument'],
};

export function docsRoute({ assets, random }: { assets: Assets; random: Random }): HttpRoute {
  const elements = entryElements(assets, 'web/docs/main.ts');

  async function handle(): Promise<RouteReply> {
    const nonce = createNonce(random);
    const headers = htmlHeaders({
      // Redoc writes its styles into style elements.
      'style-src': `'self' 'nonce-${nonce}'`,
      // The icons in Redoc's styles.
      'img-src': "'self' data:",
      // Redoc searches in a worker that it creates from a blob.
      'worker-src': 'blob:',
      'form-action': "'none'",
    });
    const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<meta property="csp-nonce" nonce="${nonce}">
<title>API reference · Latchkey</title>
${elements}</head>
<body><div id="reference"><p class="notice">Loading the API reference…</p></div>
<noscript>Turn on JavaScript in your browser, or read <a href="/openapi.json">the OpenAPI
document</a>.</noscript>
</body>
</html>
`;
    return { status: 200, headers, body: body.text };
  }

  return { method: 'GET', path: '/docs', name: 'docs', matchesTrailingSlash: true, doc, handle };
}
