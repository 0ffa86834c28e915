import type { JsonValue } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { itHoldsFor } from '../../support/rule.ts';
import { useStarted } from '../../support/use-started.ts';
import { startEcho } from './echo.ts';

const echo = useStarted(startEcho);

describe('a body', () => {
  test('is the whole request, with field names in either spelling', async () => {
    const body = { name: 'n', bigs: ['1', 2], child: { displayName: 'd' }, line_1: 'l' };
    expect(await echo.read('POST /things', body)).toEqual({
      name: 'n',
      bigs: ['1', '2'],
      child: { display_name: 'd' },
      line_1: 'l',
    });
  });

  test('that is empty sets no field', async () => {
    expect(await echo.read('POST /things')).toEqual({});
    expect(await echo.read('POST /things', {})).toEqual({});
  });

  test('can be one field of any type', async () => {
    expect(await echo.read('PUT /things/a', { name: 'c', child: { number: 1 } })).toEqual({
      name: 'c',
      child: { number: 1 },
    });
    expect(await echo.read('PUT /things/a/tags', ['x', 'y'])).toEqual(['x', 'y']);
    expect(await echo.read('PUT /things/a/number', 7)).toBe(7);
  });

  test('is refused with the name of the invalid field', async () => {
    expect(await echo.refusal('POST /things', { nmae: 'a' })).toEqual(['nmae']);
    expect(await echo.refusal('POST /things', { child: { nmae: 'a' } })).toEqual(['child.nmae']);
    expect(await echo.refusal('POST /things', { children: [{}, { nmae: 1 }] })).toEqual([
      'children.nmae',
    ]);
    expect(await echo.refusal('POST /things', { named: { a: { nmae: 1 } } })).toEqual([
      'named.nmae',
    ]);
    expect(await echo.refusal('POST /things', { number: 'x' })).toEqual(['number']);
    expect(await echo.refusal('PUT /things/a', { nmae: 'c' })).toEqual(['child.nmae']);
    expect(await echo.refusal('PUT /things/a/number', 'x')).toEqual(['number']);
    expect(await echo.refusal('PATCH /children/a', { displayName: '', display_name: '' })).toEqual([
      'child.display_name',
    ]);
    expect(await echo.refusal('POST /things', { lineOne: 'a' })).toEqual(['lineOne']);
  });

  test('is refused by a method without a body', async () => {
    expect(await echo.read('POST /things/a:do')).toEqual({ name: 'a' });
    await echo.refusal('POST /things/a:do', {});
  });

  itHoldsFor(['[]', '"text"', '1', 'null', '{', '{"a":}', ' ', '{}{}'])(
    'that is not an object is refused',
    async (body) => {
      expect((await echo.send(body)).status).toBe(400);
    },
  );

  test('cannot change the prototype of an object', async () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    expect(await echo.send('{"__proto__": {"name": "a"}}')).toMatchObject({
      status: 400,
      json: { errors: [{ field: '__proto__' }] },
    });
    expect(await echo.send('{"child": {"__proto__": {"name": "a"}}}')).toMatchObject({
      status: 400,
    });
    await echo.send('{"labels": {"__proto__": "x", "constructor": "y"}}');
    await echo.send('{"named": {"__proto__": {"name": "x"}}}');
    await echo.send('{"struct": {"__proto__": {"polluted": true}}}');
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });

  itHoldsFor([
    ['messages', '', '{"child":', '1', '}', ''],
    ['lists of messages', '', '{"children":[', '', ']}', ''],
    ['a struct', '{"struct":', '{"a":', '1', '}', '}'],
    ['lists', '{"tags":', '[', '', ']', '}'],
  ])('with deep nesting is refused', async (_what, start, open, middle, close, end) => {
    const depth = 15_000;
    const body = start + open.repeat(depth) + middle + close.repeat(depth) + end;
    expect((await echo.send(body)).status).toBe(400);
  });
});

describe('a PATCH', () => {
  /** The fields that a request changes. */
  async function mask(route: string, body?: JsonValue): Promise<unknown> {
    await echo.ask(route, body);
    return (echo.lastRequest() as { updateMask?: { paths: string[] } }).updateMask?.paths;
  }

  test('changes the named fields, and null clears them', async () => {
    const body = { number: 0, maybe: null, child: { name: 'c' }, line_1: '' };
    expect(await mask('PATCH /things/a', body)).toEqual(['number', 'maybe', 'child', 'line_1']);
    expect(echo.lastRequest()).toMatchObject({ name: 'a', number: 0, child: { name: 'c' } });
    expect(echo.lastRequest()).not.toHaveProperty('maybe');
    expect(await mask('PATCH /things/a', { line1: 'x' })).toEqual(['line_1']);
  });

  test('whose body is one field changes the fields inside it', async () => {
    const body = { displayName: null, number: 1 };
    expect(await mask('PATCH /children/a', body)).toEqual(['display_name', 'number']);
    expect(echo.lastRequest()).toMatchObject({ child: { name: 'a', number: 1 } });
  });

  test('with an update mask uses that mask', async () => {
    const body = { number: 1, updateMask: 'number,maybe' };
    expect(await mask('PATCH /things/a', body)).toEqual(['number', 'maybe']);
    expect(await mask('PATCH /children/a?update_mask=number', {})).toEqual(['number']);
    expect(await mask('PATCH /things/a', { update_mask: null, flag: true })).toEqual(['flag']);
  });

  test('without fields changes nothing', async () => {
    expect(await mask('PATCH /things/a', {})).toEqual([]);
    expect(await mask('PATCH /things/a')).toEqual([]);
  });

  test('is the only request that gets a generated update mask', async () => {
    expect(await mask('POST /things', { number: 1 })).toBeUndefined();
  });
});

describe('an answer', () => {
  test('has every field that has a default, by its proto name', async () => {
    const { json } = await echo.ask('GET /search');
    expect(json).toMatchObject({
      name: '',
      kind: 'KIND_UNSPECIFIED',
      flag: false,
      big: '0',
      tags: [],
      labels: {},
      line_1: '',
    });
    expect(json).not.toHaveProperty('maybe');
    expect(json).not.toHaveProperty('child');
  });

  test('that is one field contains the default of that field', async () => {
    expect((await echo.ask('PUT /things/a/tags', [])).json).toEqual([]);
    expect((await echo.ask('PUT /things/a/number', 0)).json).toBe(0);
    expect((await echo.ask('PUT /things/a', {})).json).toMatchObject({ name: '', number: 0 });
  });

  test('returns the location of a created resource', async () => {
    const { status, headers } = await echo.ask('POST /things', { name: 'a/b ü' });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe('/things/a%2Fb%20%C3%BC');
  });

  test('is returned by a method with a custom verb', async () => {
    expect(await echo.read('LINK /things/a')).toEqual({ name: 'a' });
    const { status, headers } = await echo.ask('UNLINK /things/a');
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD, LINK, PATCH, PUT');
  });
});
