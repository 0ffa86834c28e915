import { describe, expect, test } from 'vitest';
import { itHoldsFor } from '../../support/rule.ts';
import { useStarted } from '../../support/use-started.ts';
import { startEcho } from './echo.ts';

const echo = useStarted(startEcho);

describe('a path variable', () => {
  itHoldsFor([
    ['/things/a', { name: 'a' }],
    ['/things/a%2Fb', { name: 'a/b' }],
    ['/things/%C3%BC%20', { name: 'ü ' }],
    ['/boxes/b/things/t', { name: 't', child: { name: 'b' } }],
    ['/paths/shelves/1/books/2', { name: 'shelves/1/books/2' }],
    ['/paths/shelves/a%2Fb/books/%C3%BC', { name: 'shelves/a%2Fb/books/ü' }],
    ['/files/a/b/c', { name: 'a/b/c' }],
    ['/files', {}],
    ['/drawers/1:open', { name: 'drawers/1' }],
    ['/kinds/KIND_ROUND/7/true', { kind: 'KIND_ROUND', number: 7, flag: true }],
    ['/kinds/2/-1/false', { kind: 'KIND_SQUARE', number: -1 }],
  ])('is read from the path', async (path, expected) => {
    expect(await echo.read(`GET ${path}`)).toEqual(expected);
  });

  itHoldsFor([
    ['/kinds/KIND_OVAL/7/true', ['kind']],
    ['/kinds/KIND_ROUND/seven/true', ['number']],
    ['/kinds/KIND_ROUND/2147483648/true', ['number']],
    ['/kinds/KIND_ROUND/7/yes', ['flag']],
  ])('of the wrong type is refused by its name', async (path, fields) => {
    expect(await echo.refusal(`GET ${path}`)).toEqual(fields);
  });

  test('may not occur in the query or the body as well', async () => {
    expect(await echo.refusal('GET /things/a?name=b')).toEqual(['name']);
    expect(await echo.refusal('PATCH /things/a', { name: 'a' })).toEqual(['name']);
    expect(await echo.refusal('PATCH /children/a', { name: 'a' })).toEqual(['child.name']);
    expect(await echo.refusal('POST /children/a/things', { child: { name: 'b' } })).toEqual([
      'child.name',
    ]);
  });

  test('within a message leaves its other fields to the query and the body', async () => {
    expect(await echo.read('GET /boxes/b/things/t?child.number=4')).toEqual({
      name: 't',
      child: { name: 'b', number: 4 },
    });
    expect(await echo.read('POST /children/a/things', { name: 't', child: { number: 5 } })).toEqual(
      {
        name: 't',
        child: { name: 'a', number: 5 },
      },
    );
    expect(await echo.read('PATCH /children/a', { display_name: 'A' })).toMatchObject({
      child: { name: 'a', display_name: 'A' },
    });
  });
});

describe('a query parameter', () => {
  itHoldsFor([
    ['name=a%26b', { name: 'a&b' }],
    ['kind=KIND_SQUARE', { kind: 'KIND_SQUARE' }],
    ['kind=1', { kind: 'KIND_ROUND' }],
    ['number=-5', { number: -5 }],
    ['flag=true', { flag: true }],
    ['flag=false', {}],
    ['data=aGk%2F', { data: 'aGk/' }],
    ['data=aGk_', { data: 'aGk/' }],
    ['big=9223372036854775807', { big: '9223372036854775807' }],
    ['ratio=0.5', { ratio: 0.5 }],
    ['ratio=NaN', { ratio: 'NaN' }],
    ['maybe=', { maybe: '' }],
    ['maybe', { maybe: '' }],
    ['child.name=c', { child: { name: 'c' } }],
    ['child.display_name=c', { child: { display_name: 'c' } }],
    ['child.displayName=c', { child: { display_name: 'c' } }],
    ['child.child.child.number=3', { child: { child: { child: { number: 3 } } } }],
    ['child.name=a&child.number=1', { child: { name: 'a', number: 1 } }],
    ['child.tags=a&child.tags=b', { child: { tags: ['a', 'b'] } }],
    ['tags=a&tags=b&name=n&tags=a', { name: 'n', tags: ['a', 'b', 'a'] }],
    ['tags=a,b', { tags: ['a,b'] }],
    ['kinds=1&kinds=KIND_SQUARE', { kinds: ['KIND_ROUND', 'KIND_SQUARE'] }],
    ['bigs=1&bigs=-2', { bigs: ['1', '-2'] }],
    ['time=2026-01-02T03:04:05Z', { time: '2026-01-02T03:04:05Z' }],
    ['time=2026-01-02T03:04:05.5%2B01:00', { time: '2026-01-02T02:04:05.500Z' }],
    ['times=2026-01-02T03:04:05Z', { times: ['2026-01-02T03:04:05Z'] }],
    ['duration=1.5s', { duration: '1.500s' }],
    ['mask=name,child.displayName', { mask: 'name,child.displayName' }],
    ['wrapped=w', { wrapped: 'w' }],
    ['wrapped_bool=true', { wrapped_bool: true }],
    ['wrapped_int=16', { wrapped_int: 16 }],
    ['line_1=x', { line_1: 'x' }],
    ['constructor=x', { constructor: 'x' }],
    ['left=x', { left: 'x' }],
  ])('is read from the query', async (query, expected) => {
    expect(await echo.read(`GET /search?${query}`)).toEqual(expected);
  });

  itHoldsFor([
    ['nmae=a', ['nmae']],
    ['child.nmae=a', ['child.nmae']],
    ['name.first=a', ['name.first']],
    ['child=a', ['child']],
    ['children=a', ['children']],
    ['children.name=a', ['children.name']],
    ['labels=a', ['labels']],
    ['labels.a=b', ['labels.a']],
    ['struct.a=b', ['struct.a']],
    ['name=a&name=b', ['name']],
    ['child.display_name=a&child.displayName=b', ['child.displayName']],
    ['kind=KIND_OVAL', ['kind']],
    ['number=', ['number']],
    ['number=1.5', ['number']],
    ['number=0x10', ['number']],
    ['wrapped_int=0x10', ['wrapped_int']],
    ['wrapped_bool=1', ['wrapped_bool']],
    ['number=%201', ['number']],
    ['flag=1', ['flag']],
    ['flag=TRUE', ['flag']],
    ['data=!', ['data']],
    ['data=aGk+', ['data']],
    ['big=9223372036854775808', ['big']],
    ['time=tomorrow', ['time']],
    ['duration=1', ['duration']],
    ['__proto__=a', ['__proto__']],
    ['__proto__.name=a', ['__proto__.name']],
    ['child.__proto__.name=a', ['child.__proto__.name']],
    ['=a', ['']],
    ['.name=a', ['.name']],
    ['child.=a', ['child.']],
    ['child..name=a', ['child..name']],
  ])('with an unreadable value is refused by its name', async (query, fields) => {
    expect(await echo.refusal(`GET /search?${query}`)).toEqual(fields);
  });

  test('is ignored if the body is the whole request', async () => {
    expect(await echo.refusal('POST /things?name=a', {})).toEqual(['name']);
  });

  test('is read in addition to a body that is one field, except for that field', async () => {
    expect(await echo.read('PUT /things/a?number=2', { name: 'c' })).toEqual({ name: 'c' });
    expect(await echo.read('PATCH /children/a?number=2', {})).toMatchObject({ number: 2 });
    expect(await echo.refusal('PATCH /children/a?child.number=2', {})).toEqual(['child.number']);
  });

  test('may not set two fields of a oneof', async () => {
    const { status, json } = await echo.ask('GET /search?left=a&right=b');
    expect({ status, json }).toMatchObject({ status: 400, json: { code: 'invalid_argument' } });
  });
});
