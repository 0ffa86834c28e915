import { describe, expect, test } from 'vitest';
import {
  createRouter,
  pathSegmentsMax,
  type Router,
} from '../../../src/transports/gateway/router.ts';
import { parseTemplate } from '../../../src/transports/gateway/template.ts';
import { itHoldsFor } from '../../support/rule.ts';

/** Each route is written as `GET /template`, and its value is that text. */
function routerOf(...routes: string[]): Router<string> {
  return createRouter(
    routes.map((route) => {
      const [method = '', template = ''] = route.split(' ');
      return { method, template, value: route, name: `test.Service.${method}` };
    }),
  );
}

/** The matching route, or the reason why no route matches. */
function answer(router: Router<string>, method: string, path: string): string {
  const match = router.match(method, path);
  if (match.kind === 'found') return match.value;
  return match.kind === 'method_not_allowed' ? `allow ${match.allow.join(', ')}` : match.kind;
}

function variablesOf(template: string, path: string): unknown {
  const match = routerOf(`GET ${template}`).match('GET', path);
  return match.kind === 'found' ? match.variables : match.kind;
}

describe('a template', () => {
  itHoldsFor([
    // template, paths it matches, paths it does not
    [
      '/a',
      ['/a', '/%61'],
      ['/', '', 'a', 'xa', '/b', '/A', '/a/', '//a', '/a/b', '/a:b', '/a:', '*'],
    ],
    ['/a/b', ['/a/b', '/a/%62'], ['/a', '/a/b/', '/a//b', '/a%2Fb', '/a/b/c', '/b/a']],
    ['/.well-known/jwks.json', ['/.well-known/jwks.json'], ['/.well-known/jwksxjson']],
    ['/a%2Fb', ['/a%2Fb', '/a%2fb'], ['/a/b', '/a%252Fb']],
    ['/a%3Ab', ['/a%3Ab', '/a:b'], ['/a']],
    ['/%2A', ['/%2A', '/*'], ['/a']],
    ['/{a=b}', ['/b'], ['/{a=b}', '/a']],
    ['/{a=b/c}', ['/b/c'], ['/{a=b/c}', '/b']],
    ['/*', ['/a', '/a:b', '/:b', '/%2F', '/..'], ['/', '/a/', '/a/b', '//']],
    ['/a/*/b', ['/a/x/b', '/a/b/b', '/a/*/b'], ['/a/b', '/a//b', '/a/x/y/b', '/a/x/b/']],
    ['/**', ['/', '/a', '/a/b', '/a/b:c'], ['', 'a', '//', '/a/', '/a//b', '//a']],
    ['/a/**', ['/a', '/a/b', '/a/b/c'], ['/', '/a/', '/a/b/', '/a//b', '/b/a', '/ab']],
    ['/a/*/**', ['/a/b', '/a/b/c'], ['/a', '/a/']],
    ['/a:v', ['/a:v', '/%61:%76'], ['/a', '/a:', '/a:w', '/a%3Av', '/a:v/', '/a:v:v', '/a/:v']],
    ['/*:v', ['/a:v', '/a:b:v', '/::v'], ['/:v', '/a', '/a:v:', '/a:v/b', '/a/b:v']],
    ['/**:v', ['/:v', '/a:v', '/a/b:v'], ['/', '/a', '/a/:v', '/a:v/b']],
    ['/a/**:v', ['/a:v', '/a/b:v', '/a/b/c:v'], ['/a/:v', '/:v', '/a/b']],
    ['/a:%3A', ['/a:%3A'], ['/a::', '/a:']],
    ['/a:b%2Fc', ['/a:b%2Fc'], ['/a:b/c', '/a:b']],
  ])('matches only its own paths', (template, matching, others) => {
    const route = `GET ${template}`;
    const router = routerOf(route);
    for (const path of matching) expect([path, answer(router, 'GET', path)]).toEqual([path, route]);
    for (const path of others)
      expect([path, answer(router, 'GET', path)]).toEqual([path, 'not_found']);
  });

  itHoldsFor([
    // template, path, values
    ['/{a}', '/caf%C3%A9%20%2F%2f%25%3A', ['café //%:']],
    ['/{a=*}', '/x%2Fy', ['x/y']],
    ['/{a}', '/%2525', ['%25']],
    ['/{a}', '/a+b', ['a+b']],
    ['/{a=b%20c}', '/b%20c', ['b c']],
    ['/{a=b/*}', '/b/x%2Fy%2fz%20', ['b/x%2Fy%2fz ']],
    ['/{a=b/*}', '/%62/%252F', ['b/%2F']],
    ['/{a=**}', '/x%2Fy', ['x%2Fy']],
    ['/{a=**}', '/x/%C3%A9/%2f%41', ['x/é/%2fA']],
    ['/{a=**}', '/', ['']],
    ['/x/{a=**}', '/x', ['']],
    ['/{a=x/**}', '/x', ['x']],
    ['/{a=x/*}/{b}', '/x/1/2', ['x/1', '2']],
    ['/{a=x/*}/{b}/{c=y/**}', '/x/1/2/y/3/4', ['x/1', '2', 'y/3/4']],
    ['/x/{a}:v', '/x/1:v', ['1']],
    ['/x/{a}:v', '/x/1:2%3Av:v', ['1:2:v']],
    ['/{a=x/**}:v', '/x/1/2%2F:v', ['x/1/2%2F']],
    ['/x/{a}', '/x/1:v', ['1:v']],
  ])('reads the values of its variables', (template, path, values) => {
    const fieldPaths = parseTemplate(template).variables.map(({ fieldPath }) => fieldPath);
    const expected = fieldPaths.map((fieldPath, index) => [fieldPath, values[index]]);
    expect(variablesOf(template, path)).toEqual(expected);
  });

  test('that is already parsed is used unchanged', () => {
    const template = parseTemplate('/a/{b}');
    const router = createRouter([{ method: 'GET', template, value: 1, name: 'Get' }]);
    expect(router.match('GET', '/a/x')).toEqual({
      kind: 'found',
      value: 1,
      variables: [['b', 'x']],
    });
  });
});

describe('an HTTP method', () => {
  const router = routerOf(
    'GET /docs',
    'POST /docs',
    'GET /docs/{id}',
    'PUT /docs/{doc_id}',
    'POST /docs/{id}:share',
    'PATCH /docs/**',
    'DELETE /trash',
  );

  itHoldsFor([
    // method, path, answer
    ['GET', '/docs/1', 'GET /docs/{id}'],
    ['PUT', '/docs/1', 'PUT /docs/{doc_id}'],
    ['PUT', '/docs', 'allow GET, HEAD, PATCH, POST'],
    ['DELETE', '/docs/1', 'allow GET, HEAD, PATCH, PUT'],
    ['DELETE', '/docs/1:share', 'allow GET, HEAD, PATCH, POST, PUT'],
    ['GET', '/docs/1/2', 'allow PATCH'],
    ['GET', '/trash', 'allow DELETE'],
    ['HEAD', '/trash', 'allow DELETE'],
    ['get', '/docs', 'allow GET, HEAD, PATCH, POST'],
    ['BREW', '/docs', 'allow GET, HEAD, PATCH, POST'],
    ['constructor', '/trash', 'allow DELETE'],
    ['DELETE', '/constructor', 'not_found'],
    ['DELETE', '/trash:__proto__', 'not_found'],
  ])('is answered with a route, the allowed methods or not_found', (method, path, expected) => {
    expect(answer(router, method, path)).toBe(expected);
  });
});

describe('a set of routes is refused', () => {
  itHoldsFor([
    ['/a', '/a'],
    ['/a/b', '/%61/b'],
    ['/a/{b}', '/a/{c}'],
    ['/a/{b}', '/a/*'],
    ['/{a=x/*}/y', '/x/{b}/y'],
    ['/x/{a=**}', '/{b.c=x/**}'],
    ['/a/{b}:v', '/a/{c=*}:%76'],
  ])('when two templates match the same paths with the same method', (one, two) => {
    const first = { method: 'POST', template: one, value: 1, name: 'some.Service.One' };
    const second = { method: 'POST', template: two, value: 2, name: 'some.Service.Two' };
    const message =
      `some.Service.One (POST ${one}) and some.Service.Two (POST ${two}) ` +
      'match the same requests';
    expect(() => createRouter([first, second])).toThrow(new Error(message));
    expect(() => createRouter([first, { ...second, method: 'PUT' }])).not.toThrow();
  });

  itHoldsFor(['*', '', 'get', 'GET ', 'GE T'])('when a method cannot be routed', (method) => {
    const route = { method, template: '/a', value: 1, name: 'some.Service.One' };
    const message = `some.Service.One: "${method}" is not an HTTP method that can be routed`;
    expect(() => createRouter([route])).toThrow(new Error(message));
  });

  test('when a template is invalid, and the error names the route', () => {
    const route = { method: 'GET', template: '/a/', value: 1, name: 'some.Service.One' };
    expect(() => createRouter([route])).toThrow(
      'some.Service.One: path template "/a/" is wrong at column 4',
    );
  });

  test('when a template has more segments than a path may have', () => {
    const template = '/a'.repeat(pathSegmentsMax);
    expect(answer(routerOf(`GET ${template}`), 'GET', template)).toBe(`GET ${template}`);
    expect(() => routerOf(`GET ${template}/**`)).toThrow('has more than 64 segments');
  });
});
