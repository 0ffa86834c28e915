// The page that the `type` of every problem points to (RFC 9457 §3.1.1).
import { catalogue } from '../errors/errors.ts';
import type { Assets } from './assets.ts';
import { html } from './html.ts';
import type { HttpRoute } from './route.ts';

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'public, max-age=300',
};

export function errorsRoute(assets: Assets): HttpRoute {
  const entries = Object.entries(catalogue).map(
    ([code, { status, title }]) => html`<dt id="${code}"><code>${code}</code> ${status}</dt>
<dd>${title}.</dd>
`,
  );
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors</title>
<link rel="stylesheet" href="${assets.addressOf('web/viewer/pages.css')}">
</head>
<body class="plain"><main class="card"><h1>Errors</h1>
<dl>${entries}</dl>
</main></body>
</html>
`;
  const reply = { status: 200, headers, body: body.text };
  return { method: 'GET', path: '/errors', name: 'errors', answer: async () => reply };
}
