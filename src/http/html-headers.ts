// The headers of pages that are for the one who asks, and for nobody else.

/** What the pages' own code needs, and nothing besides (CSP Level 3). */
const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'worker-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
};

/** `others`: sources in place of those that every page has. */
export function htmlHeaders(
  others: Partial<Record<keyof typeof policy, string>> = {},
): Record<string, string> {
  const directives = Object.entries({ ...policy, ...others });
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': directives.map((directive) => directive.join(' ')).join('; '),
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}
