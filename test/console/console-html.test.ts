// The HTML of the console as the service sends it.
import { describe, expect, it } from 'vitest';
import { startTestApp } from '../support/harness.ts';
import { itHoldsFor } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';

const test = useStarted(() => startTestApp());

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${test.app.publicUrl}${path}`, { redirect: 'manual', ...init });

function directives(response: Response): Record<string, string> {
  const policy = response.headers.get('content-security-policy') ?? '';
  return Object.fromEntries(policy.split('; ').map((one) => one.split(/ (.*)/)));
}

describe('the HTML of the console', () => {
  itHoldsFor(['/console', '/console/sign-in', '/console/workspaces/ws_x/settings/api-keys'])(
    'is the same at each path',
    async (path) => {
      const response = await ask(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await response.text()).toContain('<div id="console"><p class="starting"');
    },
  );

  it('allows its own scripts and styles, and inline styles with its nonce', async () => {
    const response = await ask('/console');
    const [, nonce] =
      /<meta property="csp-nonce" nonce="([^"]+)">/.exec(await response.text()) ?? [];
    expect(directives(response)).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'worker-src': "'self'",
      'style-src': `'self' 'nonce-${nonce}'`,
      'img-src': "'self' blob:",
      'media-src': "'self' blob:",
      'connect-src': "'self'",
      'form-action': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': 'default latchkey-icons latchkey-workers dompurify',
    });
    expect(nonce).toMatch(/^[\w+/]{22}==$/);
  });

  it('has a new nonce each time and is not cached', async () => {
    const [first, second] = await Promise.all([ask('/console'), ask('/console')]);
    expect(directives(first)['style-src']).not.toBe(directives(second)['style-src']);
    expect(first.headers.get('cache-control')).toBe('no-store');
  });

  it('sends no referrer and isolates its window', async () => {
    const { headers } = await ask('/console');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('permissions-policy')).toContain('camera=(), ');
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
  });

  it('answers HEAD but no other method', async () => {
    const head = await ask('/console', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    const post = await ask('/console', { method: 'POST' });
    expect(post.status).toBe(405);
    expect(post.headers.get('allow')).toBe('GET, HEAD');
  });

  it('references files that exist', async () => {
    const text = await (await ask('/console')).text();
    const files = [...text.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) expect([file, (await ask(file)).status]).toEqual([file, 200]);
  });
});

describe('a trailing slash', () => {
  it('redirects to the route', async () => {
    const response = await ask('/console/?a=b');
    expect(response.status).toBe(308);
    expect(response.headers.get('location')).toBe('/console?a=b');
    const requestId = response.headers.get('x-request-id');
    const lines = (await test.logText()).trim().split('\n');
    const logged = lines.map((line): unknown => JSON.parse(line));
    expect(logged).toContainEqual(
      expect.objectContaining({ request_id: requestId, route: 'console', status: 308 }),
    );
  });

  itHoldsFor(['//console/', '/nowhere/', '/clients/', '/errors/', '/'], 5)(
    'leads nowhere at other paths',
    async (path) => {
      expect((await ask(path)).status).toBe(404);
    },
  );
});
