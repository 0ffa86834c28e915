// Times, numbers and masks that a request writes as text: in a body, in a query, and over Connect.
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { itHoldsFor } from '../../support/rule.ts';
import { useStarted } from '../../support/use-started.ts';
import { type Answer, startEcho } from './echo.ts';

const echo = useStarted(startEcho);

const times = {
  invalid: [
    '2027-02-29T00:00:00Z',
    '2027-02-30T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2027-04-31T00:00:00Z',
    '2027-00-10T00:00:00Z',
    '2027-13-10T00:00:00Z',
    '2027-01-00T00:00:00Z',
    '2027-01-32T00:00:00Z',
    '2027-01-01T24:00:00Z',
    '2027-01-01T23:60:00Z',
    '2016-12-31T23:59:60Z',
    '2027-01-01T00:00:00+24:00',
    '2027-01-01T00:00:00+01:60',
    '2027-01-01T00:00:00.1234567890Z',
    '2027-01-01T00:00:00',
    '2027-01-01 00:00:00Z',
    '2027-01-01',
    '2026-02-30',
    '0000-01-01T00:00:00Z',
    'tomorrow',
    '',
  ],
  valid: [
    '2028-02-29T23:59:59Z',
    '2000-02-29T00:00:00Z',
    '2027-01-31T00:00:00.123456789Z',
    '2027-01-01T00:00:00+23:59',
    '2027-12-31T23:59:59.5-00:00',
    '0001-01-01T00:00:00Z',
  ],
};

const integers = {
  invalid: ['0x5', '0b1', '0o7', '+5', '05', '-', '', ' 5', '5 ', '1_0', '٣', '5n', 'NaN'],
  valid: ['5', '-5', '0'],
};

const fractions = {
  invalid: ['0x5', '0b1', '+5', '.5', '5.', '1e', 'inf', '+Infinity', '', '1,5'],
  valid: ['5', '-0.5', '1e2', '1.5E-3', 'NaN', 'Infinity', '-Infinity'],
};

type Texts = { readonly invalid: readonly string[]; readonly valid: readonly string[] };

/** A body that sets the field to the text, the field, and the texts. */
type BodyCase = readonly [field: string, body: (text: string) => JsonObject, texts: Texts];

const bodyCases: readonly BodyCase[] = [
  ['time', (time) => ({ time }), times],
  ['times', (time) => ({ times: ['2027-01-01T00:00:00Z', time] }), times],
  ['number', (number) => ({ number }), integers],
  ['big', (big) => ({ big }), integers],
  ['bigs', (big) => ({ bigs: [1, big] }), integers],
  ['wrapped_int', (wrapped_int) => ({ wrapped_int }), integers],
  ['wrapped_int', (wrappedInt) => ({ wrappedInt }), integers],
  ['ratio', (ratio) => ({ ratio }), fractions],
  ['child.number', (number) => ({ child: { number } }), integers],
  ['child.child.number', (number) => ({ child: { child: { number } } }), integers],
  ['children.number', (number) => ({ children: [{}, { number }] }), integers],
  ['named.number', (number) => ({ named: { a: { number } } }), integers],
];

const queryCases = bodyCases.filter(([field]) =>
  ['time', 'number', 'big', 'wrapped_int', 'ratio', 'child.number'].includes(field),
);

/** The problem of an answer; undefined if the text had its effect. */
function problemWith({ status, json }: Answer, field: string, isValid: boolean) {
  const { code, errors, message, detail } = json as Record<string, JsonValue>;
  if (isValid) return status < 300 ? undefined : `${status} ${detail ?? message}`;
  // A Connect error names the field in its message.
  const isNamed =
    errors === undefined
      ? String(message).startsWith(`${field}: `)
      : JSON.stringify(errors).includes(`{"field":"${field}"`);
  return status === 400 && code === 'invalid_argument' && isNamed ? undefined : `${status}`;
}

async function walk(
  ask: (route: string, body?: JsonValue) => Promise<Answer>,
  cases: readonly BodyCase[],
  send: (field: string, body: (text: string) => JsonObject, text: string) => [string, JsonValue?],
) {
  const failures: string[] = [];
  let walked = 0;
  for (const [field, body, { invalid, valid }] of cases) {
    for (const text of [...invalid, ...valid]) {
      const answer = await ask(...send(field, body, text));
      const problem = problemWith(answer, field, valid.includes(text));
      if (problem !== undefined) failures.push(`${field} ${JSON.stringify(text)}: ${problem}`);
      walked++;
    }
  }
  return { failures, walked };
}

const sizeOf = (cases: readonly BodyCase[]) =>
  cases.reduce((sum, [, , { invalid, valid }]) => sum + invalid.length + valid.length, 0);

itHoldsFor([
  ['HTTP/JSON', 'POST /things'],
  ['Connect', 'POST /test.echo.v1.EchoService/Create'],
])('a body has only valid times and decimal numbers', async (_, route) => {
  const { failures, walked } = await walk(echo.ask, bodyCases, (_field, body, text) => [
    route,
    body(text),
  ]);
  expect(failures).toEqual([]);
  expect(walked).toBe(sizeOf(bodyCases));
});

test('a query has only valid times and decimal numbers', async () => {
  const { failures, walked } = await walk(echo.ask, queryCases, (field, _body, text) => [
    `GET /search?${new URLSearchParams({ [field]: text })}`,
  ]);
  expect(failures).toEqual([]);
  expect(queryCases).toHaveLength(7);
  expect(walked).toBe(sizeOf(queryCases));
});

test('a body that is one field names it', async () => {
  expect(await echo.refusal('PUT /things/a/number', '0x5')).toEqual(['number']);
  expect(await echo.refusal('PUT /things/a', { number: '0x5' })).toEqual(['child.number']);
});

test('an update mask with names of the API is refused in words', async () => {
  const advice = 'must name fields in lower camel case, such as expireTime,viewLimit';
  for (const [route, body] of [
    ['PATCH /things/a', { update_mask: 'number,line_1' }],
    ['PATCH /children/a?update_mask=display_name', {}],
    ['POST /test.echo.v1.EchoService/Update', { updateMask: 'line_1' }],
  ] as const) {
    const { status, json } = await echo.ask(route, body);
    expect(status, route).toBe(400);
    expect(JSON.stringify(json), route).toContain(`${advice}"`);
    expect(JSON.stringify(json), route).toContain('update_mask');
  }
});
