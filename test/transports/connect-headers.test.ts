// Forms of Connect requests that HTTP permits in addition to those of client libraries.
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { answerTo, errorIn, frame, post } from '../support/connect-frames.ts';
import { startTestApp } from '../support/harness.ts';
import { openRawHttp, requestHead } from '../support/raw-http.ts';
import { openHttp2, startTlsApp } from '../support/tls-app.ts';
import { useStarted } from '../support/use-started.ts';

const app = useStarted(() => startTestApp());
let port: number;
beforeAll(async () => {
  port = Number(new URL(app.app.publicUrl).port);
});

const jwks = '/latchkey.identity.v1.VerificationService/GetJwks';
const download = '/latchkey.sharing.v1.DocumentService/DownloadDocument';
const query = `${jwks}?connect=v1&encoding=json&message=%7B%7D`;

test('names of codings are case-insensitive (RFC 9110 §8.4.1)', async () => {
  const zipped = gzipSync('{}');
  const cases = [
    ['application/json', { 'Content-Encoding': 'GZIP' }, zipped],
    ['application/json', { 'Content-Encoding': 'gZip' }, zipped],
    ['application/json', { 'Content-Encoding': 'Identity' }, '{}'],
    ['application/grpc-web+json', { 'Grpc-Encoding': 'Gzip' }, frame(zipped, 1)],
  ] as const;
  const failures: string[] = [];
  let walked = 0;
  for (const [type, headers, body] of cases) {
    const answer = await answerTo(port, post(jwks, type, headers).with(body));
    const isSuccess = answer?.status === 200 && errorIn(answer) === undefined;
    if (!isSuccess) failures.push(`${type} ${JSON.stringify(headers)}`);
    walked++;
  }
  const inQuery = requestHead('GET', `${query}&compression=GZIP`.replace('%7B%7D', ''), {
    Host: 'latchkey.test',
  });
  const answer = await answerTo(
    port,
    inQuery.replace('message=', `base64=1&message=${zipped.toString('base64url')}`),
  );
  if (answer?.status !== 200) failures.push('query');
  expect(failures).toEqual([]);
  expect(walked).toBe(4);
});

test('a charset of JSON may be quoted, and must be UTF-8 (RFC 9110 §8.3.2)', async () => {
  const cases = [
    ['application/json; charset="utf-8"', 200],
    ['application/json;charset="UTF-8"', 200],
    ['Application/JSON ; Charset=utf-8 ', 200],
    ['application/grpc-web+json; charset="utf-8"', 200],
    ['application/json; charset="latin1"', 415],
    ['application/json; charset="utf-8', 415],
    ['application/json; charset="utf-8"x', 415],
    ['application/proto; charset="utf-8"', 415],
  ] as const;
  const failures: string[] = [];
  let walked = 0;
  for (const [type, status] of cases) {
    const body = type.includes('grpc') ? frame('{}') : '{}';
    const answer = await answerTo(port, post(jwks, type).with(body));
    if (answer?.status !== status) failures.push(`${type}: ${answer?.status}`);
    walked++;
  }
  const head = { Authorization: `Bearer ${app.env.API_KEY}` };
  const stream = post(download, 'application/connect+json; charset="utf-8"', head);
  const answer = await answerTo(port, stream.with(frame('{"document_id": "doc_x"}')));
  if (answer === undefined || errorIn(answer)?.code !== 'not_found') failures.push('stream');
  expect(failures).toEqual([]);
  expect(walked).toBe(8);
});

/** The headers of an answer, without those that differ between two requests. */
function stableHeaders(headers: Headers): Record<string, string> {
  const { date: _date, 'x-request-id': _id, ...rest } = Object.fromEntries(headers);
  return rest;
}

test('HEAD on a Connect GET has the headers of GET and no body (RFC 9110 §9.3.2)', async () => {
  const cases = [
    [query, 200],
    [query.replace('%7B%7D', '%7B'), 400],
    [query.replace('encoding=json', 'encoding=xml'), 415],
    ['/latchkey.identity.v1.SessionService/SignIn?encoding=json&message=%7B%7D', 405],
  ] as const;
  const failures: string[] = [];
  let walked = 0;
  for (const [path, status] of cases) {
    const got = await answerTo(port, requestHead('GET', path, { Host: 'latchkey.test' }));
    const connection = await openRawHttp(port);
    await connection.write(requestHead('HEAD', path, { Host: 'latchkey.test' }));
    const answer = await connection.response('HEAD');
    // The next answer shows that no body preceded it.
    await connection.write(requestHead('GET', query, { Host: 'latchkey.test' }));
    const next = await connection.response();
    connection.reset();
    const isSame =
      got !== undefined &&
      answer !== undefined &&
      JSON.stringify(stableHeaders(answer.headers)) === JSON.stringify(stableHeaders(got.headers));
    if (answer?.status !== status || !isSame || next?.status !== 200) {
      failures.push(`${path}: ${answer?.status}`);
    }
    walked++;
  }
  expect(failures).toEqual([]);
  expect(walked).toBe(4);
});

test('HEAD on a Connect GET over HTTP/2 has no body', async () => {
  const tls = await startTlsApp();
  const client = openHttp2(tls.app.publicUrl, tls.files.authority.certificate);
  try {
    const { status, headers, body } = await client.send(query, { method: 'HEAD' });
    expect({ status, body: body.length }).toEqual({ status: 200, body: 0 });
    expect(Number(headers['content-length'])).toBeGreaterThan(100);
  } finally {
    client.close();
    await tls.remove();
  }
});
