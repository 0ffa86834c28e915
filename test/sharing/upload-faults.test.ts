import { describe, expect, it } from 'vitest';
import { faultyUploads, filePart as file } from '../support/faulty-uploads.ts';
import { type MultipartPart, multipartBody } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import { callSharingApi } from '../support/sharing-api.ts';

const { app, open, head, post } = faultyUploads();

describe('a form is refused that', () => {
  const whole = multipartBody([file], 'frontier');
  const name = (value: string): MultipartPart => ({ name: 'name', body: value });
  const forms: [what: string, parts: MultipartPart[], fields: string[]][] = [
    ['no part', [], ['file']],
    ['no file', [name('a')], ['file']],
    ['two files', [file, file], ['file']],
    ['an empty file', [{ ...file, body: '' }], ['file']],
    ['two names', [file, name('a'), name('b')], ['name']],
    ['two names before the file', [name('a'), name('b'), file], ['name']],
    ['an unknown field', [file, { name: 'nmae', body: 'a' }], ['nmae']],
    ['a field that only the gateway sets', [file, { name: 'file_name', body: 'a' }], ['file_name']],
    ['the type as a part', [file, { name: 'content_type', body: 'text/csv' }], ['content_type']],
    ['an unknown file', [file, { ...file, name: 'other' }], ['other']],
    ['an unknown file first', [{ ...file, name: 'other' }, file], ['other']],
    ['a field as a file', [{ ...name('a'), filename: 'a.txt' }, file], ['name']],
    ['a field that is too long', [file, name('x'.repeat(9000))], ['name']],
    ['a name of 9000 characters for a field', [{ ...file, name: 'n'.repeat(9000) }], []],
    ['only a part without a name', [{ body: 'stray' }], ['file']],
    ['100 parts', Array.from({ length: 100 }, () => name('a')), []],
    ['a name that is a property of every object', [file, { name: '__proto__', body: 'a' }], []],
  ];
  itHoldsFor(forms, 17)('has wrong parts', async (_, parts, fields) => {
    const { status, problem } = await post(multipartBody(parts, 'frontier'));

    expect({ status, code: problem.code }).toEqual({ status: 400, code: 'invalid_argument' });
    const named = problem.errors?.map(({ field }) => field);
    if (fields.length > 0) expect(named).toEqual(fields);
  });

  const named = 'form-data; name="file"; filename="a.bin"';
  const bodies: [what: string, body: Buffer][] = [
    ['no content', Buffer.alloc(0)],
    ['no boundary', Buffer.alloc(50_000, 'x')],
    ['another boundary', multipartBody([file], 'elsewhere')],
    ['an end before the last boundary', whole.subarray(0, -20)],
    ['an end within the file', whole.subarray(0, 50_000)],
    ['an end within the headers of a part', whole.subarray(0, 40)],
    ['a last boundary without its dashes', whole.subarray(0, -4)],
    [
      'a header of 200 kB in a part',
      multipartBody(
        [{ headers: { 'X-Long': 'x'.repeat(200_000), 'Content-Disposition': named }, body: 'a' }],
        'frontier',
      ),
    ],
    [
      '10,000 headers in a part',
      multipartBody(
        [
          {
            headers: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`X-${i}`, 'x'])),
            body: '',
          },
        ],
        'frontier',
      ),
    ],
  ];
  itHoldsFor(bodies, 9)('has a broken body', async (_, body) => {
    const { status, problem } = await post(body);

    expect({ status, code: problem.code }).toEqual({ status: 400, code: 'invalid_argument' });
  });

  const types: [what: string, headers: Record<string, string>][] = [
    ['no boundary in its content type', { 'Content-Type': 'multipart/form-data' }],
    ['no content type', { 'Content-Type': '' }],
    ['another multipart type', { 'Content-Type': 'multipart/mixed; boundary=frontier' }],
    ['the type of JSON', { 'Content-Type': 'application/json' }],
    ['the type of a simple form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['the type of bytes', { 'Content-Type': 'application/octet-stream' }],
    ['an invalid content type', { 'Content-Type': ';;;' }],
    ['a compression', { 'Content-Encoding': 'gzip' }],
    ['identity and a compression', { 'Content-Encoding': 'identity, gzip' }],
  ];
  itHoldsFor(types, 9)('has another content type or a compression', async (_, headers) => {
    const { status, problem } = await post(whole, headers);

    const answer = { status, code: problem.code };
    expect(answer).toEqual({ status: 415, code: 'unsupported_media_type' });
  });

  it('has an empty boundary', async () => {
    const { status } = await post(whole, { 'Content-Type': 'multipart/form-data; boundary=' });

    expect(status).toBe(400);
  });

  it('comes after 200 kB of headers', async () => {
    const connection = await open();
    void connection.write(head(whole.length, { 'X-Long': 'x'.repeat(200_000) }));
    void connection.write(whole);

    expect(await connection.response()).toMatchObject({ status: 431 });
  });
});

describe('a file part without a file name', () => {
  it('is stored as a file', async () => {
    const body = multipartBody([{ name: 'file', body: 'bytes' }], 'frontier');
    const connection = await open();
    await connection.write(head(body.length));
    await connection.write(body);

    const response = await connection.response();

    const document = JSON.parse(String(response?.body));
    expect({ status: response?.status, document }).toMatchObject({
      status: 201,
      document: { name: 'document', size_bytes: 5 },
    });
    await callSharingApi(app(), 'DELETE', `/documents/${document.id}`);
  });
});
