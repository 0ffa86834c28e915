// Forms that no well-behaved client sends. Each request gets an answer, and the process continues.
import { expect, test } from 'vitest';
import { multipartBody, openRawHttp, type RawResponse, requestHead } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import { host, hostileClient } from './hostile.ts';

const hostile = hostileClient();
const boundary = 'frontier';

/** Sends a form on a separate connection. */
async function upload(form: Uint8Array): Promise<RawResponse | undefined> {
  const connection = await openRawHttp(hostile.port);
  try {
    const head = requestHead('POST', '/api/v1/documents', {
      ...host,
      Authorization: `Bearer ${hostile.app.env.API_KEY}`,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': String(form.length),
    });
    await connection.write(Buffer.concat([Buffer.from(head), form]));
    return await connection.response();
  } finally {
    connection.reset();
  }
}

const file = { name: 'file', filename: 'a.txt', body: 'text' };

itHoldsFor([
  ['a file without a name', { 'Content-Disposition': 'form-data; filename="a.txt"' }],
  ['a field without a name', { 'Content-Disposition': 'form-data' }],
  ['an empty name', { 'Content-Disposition': 'form-data; name=""' }],
  ['a name in an unknown charset', { 'Content-Disposition': "form-data; name*=nowhere''x" }],
  [
    'a file name in an unknown charset',
    { 'Content-Disposition': "form-data; name=other; filename*=nowhere''%ff" },
  ],
])('a malformed form is refused', async (_what, headers) => {
  const response = await upload(multipartBody([{ headers, body: 'x' }, file], boundary));
  expect(response?.status, response?.body.toString()).toBe(400);
  expect(JSON.parse(response?.body.toString() ?? '')).toMatchObject({ code: 'invalid_argument' });
});

test('a form whose text is not UTF-8 is refused with the name of the field', async () => {
  const texts = [[0xff], [0x63, 0xe9], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80]];
  const types = [undefined, 'text/plain; charset=utf-8'];
  const failures: string[] = [];
  let walked = 0;
  for (const contentType of types) {
    for (const bytes of texts) {
      const part = { name: 'name', body: Buffer.from(bytes), ...(contentType && { contentType }) };
      const response = await upload(multipartBody([part, file], boundary));
      const { code, errors } = JSON.parse(response?.body.toString() ?? '{}');
      const isNamed = code === 'invalid_argument' && errors[0]?.field === 'name';
      if (response?.status !== 400 || !isNamed) failures.push(`${contentType} ${bytes}`);
      walked++;
    }
  }
  const valid = await upload(multipartBody([{ name: 'name', body: 'é€😀' }, file], boundary));
  expect(JSON.parse(valid?.body.toString() ?? '')).toMatchObject({ name: 'é€😀' });
  expect(failures).toEqual([]);
  expect(walked).toBe(10);
});

/** The same numbers in each run (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

test('400 randomly damaged forms each get an answer, and never 500', async () => {
  const random = randomNumbers(20);
  const whole = multipartBody(
    [
      { name: 'name', contentType: 'text/plain; charset=utf-8', body: 'a name' },
      file,
      { name: 'workspace_id', headers: { 'Content-Transfer-Encoding': 'base64' }, body: 'eA==' },
    ],
    boundary,
  );
  const statuses = new Map<number | undefined, number>();
  for (let i = 0; i < 400; i++) {
    const damaged = Buffer.from(whole);
    for (let n = 0; n <= random(4); n++) {
      const at = random(damaged.length);
      const kind = random(3);
      if (kind === 0) damaged[at] = random(256);
      else if (kind === 1) damaged.copyWithin(at, random(damaged.length), random(damaged.length));
      else
        damaged.fill(
          damaged[random(damaged.length)] ?? 0,
          at,
          Math.min(at + random(20), damaged.length),
        );
    }
    const status = (await upload(damaged))?.status;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect([...statuses.keys()].filter((status) => ![201, 400, 403].includes(status ?? 0))).toEqual(
    [],
  );
});
