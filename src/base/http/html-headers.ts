// The headers of HTML responses. They prevent caching and embedding.

/** The policies of the browser code: see web/viewer/shell/trusted-types.ts. */
export const trustedTypes = 'latchkey-icons latchkey-workers dompurify';

/** Permits only the service's own code (CSP Level 3, Trusted Types). */
const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'worker-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'media-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
  'require-trusted-types-for': "'script'",
  'trusted-types': trustedTypes,
};

/** Features of the browser that no page uses (W3C Permissions Policy). */
const permissions = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ');

/** `others` replaces the default sources. */
export function htmlHeaders(
  others: Partial<Record<keyof typeof policy, string>> = {},
): Record<string, string> {
  const directives = Object.entries({ ...policy, ...others });
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': directives.map((directive) => directive.join(' ')).join('; '),
    'permissions-policy': permissions,
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}
