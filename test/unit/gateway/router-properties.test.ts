import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRouter } from '../../../src/transports/gateway/router.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });

/** Encodes like a client of http.proto: all characters but `[-_.~0-9a-zA-Z]`. */
function encode(value: string): string {
  const strictly = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(value).replace(/[!'()*]/g, strictly);
}

function encodeSegments(value: string): string {
  return value.split('/').map(encode).join('/');
}

/** A piece of a template, the matching piece of a path, and the expected value of its variable. */
interface Piece {
  template: string;
  path: string;
  value?: string;
}

const literalPiece = text.map((value): Piece => ({ template: encode(value), path: encode(value) }));

const singlePiece = text.map((value): Piece => ({ template: '{$}', path: encode(value), value }));

const multiPiece = fc.tuple(text, text, text).map(([one, two, three]): Piece => {
  const literal = one.replaceAll('/', '');
  const [first, last] = [two, three].map((part) => part.replaceAll('/', '.'));
  const value = `x${literal}/${first}/${last}`;
  return {
    template: `{$=x${encode(literal)}/*/*}`,
    path: encodeSegments(value),
    value,
  };
});

const restPiece = fc.array(text, { maxLength: 4 }).map((parts): Piece => {
  const value = ['x', ...parts.map((part) => part.replaceAll('/', '.'))].join('/');
  return { template: '{$=x/**}', path: encodeSegments(value), value };
});

const pieces = fc
  .tuple(
    fc.array(fc.oneof(literalPiece, singlePiece, multiPiece), { minLength: 1, maxLength: 6 }),
    fc.option(restPiece, { nil: undefined }),
  )
  .map(([start, rest]) => (rest === undefined ? start : [...start, rest]));

test('a path built from a template and values yields these values', () => {
  const property = fc.property(pieces, fc.constantFrom('', ':verb'), (parts, verb) => {
    const variables: [string, string][] = [];
    const segments = parts.map(({ template, value }, index) => {
      if (value !== undefined) variables.push([`field_${index}`, value]);
      return template.replace('$', () => `field_${index}`);
    });
    const template = `/${segments.join('/')}${verb}`;
    const router = createRouter([{ method: 'GET', template, value: template, name: 'Get' }]);
    const path = `/${parts.map((part) => part.path).join('/')}${verb}`;
    expect(router.match('GET', path)).toEqual({ kind: 'found', value: template, variables });
  });
  fc.assert(property, { numRuns: 500 });
});

interface Rule {
  method: string;
  template: string;
}

const rule = fc
  .tuple(
    fc.constantFrom('GET', 'HEAD', 'POST'),
    fc.array(fc.constantFrom('a', 'b', 'a%3Av', '*'), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '/**'),
    fc.constantFrom('', ':v', ':w'),
  )
  .map(
    ([method, segments, rest, verb]): Rule => ({
      method,
      template: `/${segments.join('/')}${rest}${verb}`,
    }),
  );

const rules = fc.uniqueArray(rule, {
  maxLength: 30,
  selector: ({ method, template }) => `${method} ${template}`,
});

const requestPath = fc
  .array(fc.constantFrom('a', 'b', 'c', 'a:v', 'b:v', 'a:w', 'a:x'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((segments) => `/${segments.join('/')}`);

/** A reference implementation: one regular expression per template, sorted by specificity. */
function expectedMatch(all: Rule[], method: string, path: string): unknown {
  const matching = all.filter(({ template }) => {
    const pattern = template
      .replaceAll('%3A', ':')
      .replace('/**', '(/[^/]+)@')
      .replaceAll('*', '[^/]+')
      .replace('@', '*');
    return new RegExp(`^${pattern}$`).test(path);
  });
  const methods = method === 'HEAD' ? ['HEAD', 'GET'] : [method];
  const [best] = matching
    .filter((rule) => methods.includes(rule.method))
    .map((rule) => ({ rule, rank: rank(rule.template) + methods.indexOf(rule.method) }))
    .sort((one, two) => (one.rank < two.rank ? -1 : 1));
  if (best !== undefined) return { kind: 'found', value: best.rule, variables: [] };
  if (matching.length === 0) return { kind: 'not_found' };
  const allow = new Set(matching.map((rule) => rule.method));
  if (allow.has('GET')) allow.add('HEAD');
  return { kind: 'method_not_allowed', allow: [...allow].sort() };
}

/** Sorts the most specific template first. */
function rank(template: string): string {
  const [segments = '', verb] = template.split(':');
  const kinds = segments
    .slice(1)
    .split('/')
    .map((segment) => (segment === '**' ? 'r' : segment === '*' ? 'n' : 'l'));
  return (verb === undefined ? 'without ' : 'verb ') + kinds.join('');
}

test('any set of routes answers any request like the reference implementation', () => {
  const kinds = new Set<string>();
  const anyMethod = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT');
  const property = fc.property(rules, anyMethod, requestPath, (all, method, path) => {
    const router = createRouter(all.map((rule) => ({ ...rule, value: rule, name: rule.template })));
    const match = router.match(method, path);
    kinds.add(match.kind);
    expect(match).toEqual(expectedMatch(all, method, path));
  });
  fc.assert(property, { numRuns: 3000 });
  expect([...kinds].sort()).toEqual(['found', 'method_not_allowed', 'not_found']);
});
