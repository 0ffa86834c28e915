// The HTML that the `type` of every problem points to (RFC 9457 §3.1.1).

import type { HttpRoute } from '../api/routes/route.ts';
import type { RouteDoc } from '../api/routes/route-doc.ts';
import { catalogue, grpcStatusName } from '../base/errors/catalogue.ts';
import type { Assets } from '../base/http/assets.ts';
import { type Html, html } from '../base/http/html.ts';

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'public, max-age=300',
};

const doc: RouteDoc = {
  id: 'errors',
  tag: 'API reference',
  summary: 'List the error codes',
  description: 'Explains every error code. The `type` of each error is an address on this page.',
  responses: { 200: { description: 'The HTML of the list.', types: ['text/html'] } },
  errors: ['invalid_argument'],
};

export function errorsRoute(assets: Assets): HttpRoute {
  const entries = Object.entries(catalogue).map(
    ([code, { status, grpc, title, cause, remedy }]) => html`<section id="${code}">
<h2><a href="#${code}"><code>${code}</code></a></h2>
<p>${title} · HTTP ${status} · gRPC ${grpcStatusName(grpc)}</p>
<dl><dt>Cause</dt><dd>${withCode(cause)}</dd><dt>Remedy</dt><dd>${withCode(remedy)}</dd></dl>
</section>
`,
  );
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors · Latchkey</title>
<link rel="icon" type="image/svg+xml" href="${assets.addressOf('web/viewer/mark.svg')}">
<link rel="stylesheet" href="${assets.addressOf('web/viewer/pages.css')}">
</head>
<body class="plain"><main class="card reference"><h1>Errors</h1>
<p>Every error response has one of these codes, over HTTP/JSON, Connect and gRPC.</p>
${entries}</main></body>
</html>
`;
  const reply = { status: 200, headers, body: body.text };
  return { method: 'GET', path: '/errors', name: 'errors', doc, handle: async () => reply };
}

function withCode(text: string): Html[] {
  return text
    .split('`')
    .map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
