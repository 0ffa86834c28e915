import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createRouter,
  pathSegmentsMax,
  type Router,
} from '../../../src/transports/gateway/router.ts';
import { itHoldsFor } from '../../support/rule.ts';

function routerOf(...templates: string[]): Router<string> {
  return createRouter(
    templates.map((template) => ({ method: 'GET', template, value: template, name: 'Get' })),
  );
}

function answer(router: Router<string>, path: string): string {
  const match = router.match('GET', path);
  return match.kind === 'found' ? match.value : match.kind;
}

/** Returns how many times the work looks something up in a map. */
function countLookups(work: () => void): number {
  const lookups = vi.spyOn(Map.prototype, 'get');
  onTestFinished(() => lookups.mockRestore());
  work();
  return lookups.mock.calls.length;
}

describe('an invalid percent-encoding', () => {
  const router = routerOf('/a', '/a/{b}', '/a/{b}:v', '/c/{d=**}');

  itHoldsFor([
    '/a/%',
    '/a/%2',
    '/a/%zz',
    '/a/x%FF',
    '/a/%C3',
    '/a/%C3:%A9',
    '/a/%ED%A0%80',
    '/c/x/%/y',
    '/a/%:v',
    '/a/b:%',
    '/%',
    '/unknown/%',
  ])('makes a path malformed', (path) => {
    expect(answer(router, path)).toBe('malformed');
  });
});

describe('a hostile path', () => {
  test('is not found if it has more segments than the limit', () => {
    const router = routerOf('/**', '/**:v');
    expect(answer(router, '/a'.repeat(pathSegmentsMax))).toBe('/**');
    expect(answer(router, '/a'.repeat(pathSegmentsMax + 1))).toBe('not_found');
    expect(answer(router, `${'/a'.repeat(pathSegmentsMax + 1)}:v`)).toBe('not_found');
    // The other segments are not decoded.
    expect(answer(router, '/%'.repeat(1_000_000))).toBe('not_found');
  });

  test('cannot make the search visit more nodes than the templates have', () => {
    const depth = 10;
    const templates = Array.from({ length: 2 ** depth }, (_, bits) => {
      const segments = Array.from({ length: depth }, (_, i) => ((bits >> i) & 1 ? 'a' : '*'));
      return `/${segments.join('/')}/end`;
    });
    const router = routerOf(...templates);
    const path = '/a'.repeat(depth);
    expect(answer(router, `${path}/end`)).toBe(templates.at(-1));
    expect(answer(router, `${path}/no`)).toBe('not_found');
    const lookups = countLookups(() => router.match('GET', `${path}/no`));
    // Both searches visit every node, and look up its ends and its literals.
    expect(lookups).toBeGreaterThanOrEqual(2 ** (depth + 1));
    expect(lookups).toBeLessThanOrEqual(2 * 3 * 2 ** (depth + 1));
  });
});
