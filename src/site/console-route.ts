// Serves the HTML of the console. It is the same for every path. The script in web/console replaces
// the mark with the screen.

import type { HttpRoute, RouteReply } from '../api/routes/route.ts';
import type { RouteDoc } from '../api/routes/route-doc.ts';
import type { Random } from '../base/crypto/ids.ts';
import type { Assets } from '../base/http/assets.ts';
import { html } from '../base/http/html.ts';
import { htmlHeaders, trustedTypes } from '../base/http/html-headers.ts';
import { createNonce, entryElements } from '../base/http/page-entry.ts';

export type ConsoleOptions = {
  readonly assets: Assets;
  readonly publicUrl: string;
  readonly random: Random;
  /** Lets the console refuse larger files before the upload. */
  readonly uploadBytesMax: number;
  readonly sendsMail: boolean;
};

const doc: RouteDoc = {
  id: 'console',
  tag: 'Console',
  summary: 'Show the console',
  description: 'The web console. The HTML is the same for every path: its script shows the screen.',
  responses: { 200: { description: 'The HTML of the console.', types: ['text/html'] } },
  errors: ['invalid_argument'],
};

export function consoleRoute(options: ConsoleOptions): HttpRoute {
  const { assets, publicUrl, random, uploadBytesMax, sendsMail } = options;
  const elements = entryElements(assets, 'web/console/main.tsx');
  const mark = assets.addressOf('web/viewer/mark.svg');

  async function handle(): Promise<RouteReply> {
    const nonce = createNonce(random);
    const headers = htmlHeaders({
      // Mantine writes its theme variables into a style element.
      'style-src': `'self' 'nonce-${nonce}'`,
      // Previews are fetched with a token, which an image URL cannot carry.
      'img-src': "'self' blob:",
      'media-src': "'self' blob:",
      'form-action': "'none'",
      'trusted-types': `default ${trustedTypes}`,
    });
    const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<meta property="csp-nonce" nonce="${nonce}">
<meta name="public-url" content="${publicUrl}">
<meta name="upload-bytes-max" content="${uploadBytesMax}">
<meta name="sends-mail" content="${String(sendsMail)}">
<title>Latchkey</title>
${elements}</head>
<body>
<noscript><p>Turn on JavaScript in your browser to use the console.</p></noscript>
<div id="console"><p class="starting" role="img" aria-label="Loading">
<img src="${mark}" alt="" width="22" height="22">Latchkey</p></div>
</body>
</html>
`;
    return { status: 200, headers, body: body.text };
  }

  return {
    method: 'GET',
    path: '/console/**',
    name: 'console',
    matchesTrailingSlash: true,
    doc,
    handle,
  };
}
