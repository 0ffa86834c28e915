// A field that the JSON of a request sets twice, over HTTP/JSON and Connect. A proxy may have
// checked the other value: the password of a link must not disappear.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { itHoldsFor, product } from '../support/rule.ts';
import {
  compileProto,
  endpointsOf,
  type ServedEndpoints,
  serveEndpoints,
} from '../support/test-protos.ts';

let transport: ServedEndpoints;
beforeAll(async () => {
  const file = new URL('gateway/proto/echo.proto', import.meta.url);
  const registry = await compileProto({ 'test/echo.proto': await readFile(file, 'utf8') });
  const echo = (request: unknown) => request;
  transport = await serveEndpoints(endpointsOf(registry, 'test.echo.v1.EchoService', () => echo));
});
afterAll(() => transport.drain());

type ErrorBody = { code: string; message?: string; detail?: string };

async function send(path: string, body: string, method = 'POST') {
  const headers = { 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${transport.port}${path}`;
  const response = await fetch(url, { method, headers, body });
  const { code, detail, message } = (await response.json()) as ErrorBody;
  return { status: response.status, code, message: detail ?? message };
}

const paths = ['/things', '/test.echo.v1.EchoService/Create'];

const repeated: [string, body: string, field: string][] = [
  ['a duplicate key', '{"name":"a","name":""}', 'name'],
  ['a duplicate key with an escape', '{"line_1":"a","line\\u005f1":""}', 'line_1'],
  ['a duplicate key that is null', '{"name":"a","name":null}', 'name'],
  ['both names of a field', '{"update_mask":"name","updateMask":""}', 'update_mask'],
  ['the JSON name twice', '{"updateMask":"name","updateMask":""}', 'update_mask'],
  ['both names, one with an escape', '{"updateMask":"","update\\u005fmask":""}', 'update_mask'],
  ['both names, one of them null', '{"update_mask":"name","updateMask":null}', 'update_mask'],
  ['a message', '{"child":{"name":"a"},"child":{}}', 'child'],
  ['a nested field', '{"child":{"child":{"name":"a","name":""}}}', 'child.child.name'],
  [
    'both names of a nested field',
    '{"child":{"displayName":"a","display_name":""}}',
    'child.display_name',
  ],
  [
    'a field of a list item',
    '{"tags":["name"],"children":[{"name":"a"},{"name":"a","name":""}]}',
    'children.name',
  ],
  ['a list', '{"tags":["a"],"tags":[]}', 'tags'],
  ['a key of a map', '{"labels":{"hidden":"a","hidden":""}}', 'labels'],
  ['a key of a map of messages', '{"named":{"hidden":{"name":"a"},"hidden":{}}}', 'named'],
  ['a field of a map value', '{"named":{"hidden":{"name":"a","name":""}}}', 'named.name'],
  [
    'both names in a map value',
    '{"named":{"x":{"displayName":"","display_name":""}}}',
    'named.display_name',
  ],
  ['a key of a struct', '{"struct":{"a":{"hidden":1,"hidden":2}}}', 'struct'],
  ['an unknown key', '{"other":1,"other":2}', 'other'],
];

itHoldsFor(product(paths, repeated), 36)(
  'a repeated field is refused by its name',
  async (path, _what, body, field) => {
    expect(await send(path, body)).toEqual({
      status: 400,
      code: 'invalid_argument',
      message: `${field}: must be set only once`,
    });
  },
);

const unique = [
  '{"name":"a","child":{"name":"a","child":{"name":"a"}}}',
  '{"children":[{"name":"a"},{"name":"a"}],"tags":["name","name"]}',
  '{"labels":{"name":"\\"name\\":","child":"name"}}',
  '{"named":{"a":{"name":"a"},"b":{"name":"a"}}}',
];

itHoldsFor(product(paths, unique), 8)(
  'fields of different messages may have the same name',
  async (path, body) => {
    expect((await send(path, body)).status).toBeLessThan(300);
  },
);

test('a body that is one field names the path of the repeated field', async () => {
  for (const [method, path, body, field] of [
    ['PUT', '/things/a', '{"number":1,"number":2}', 'child.number'],
    ['PATCH', '/children/a', '{"child":{"tags":[],"tags":[]}}', 'child.child.tags'],
  ] as const) {
    const { status, message } = await send(path, body, method);
    expect([status, message]).toEqual([400, `${field}: must be set only once`]);
  }
});
