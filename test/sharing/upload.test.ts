import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  openStreamTransports,
  type Piece,
  postForm,
  type StreamTransport,
} from '../support/document-streams.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { describeFeature } from '../support/matrix.ts';
import { makePdf } from '../support/pdf.ts';
import { multipartBody } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import {
  callSharingApi,
  type DocumentFields,
  keyOf,
  makePng,
  makeZip,
  otherWorkspace,
  serviceCredential,
  sha256,
  storedState,
} from '../support/sharing-api.ts';

const pdf = makePdf({ pages: 2, text: 'Terms', padToBytes: 300_000 });
const file = Buffer.from('some bytes');

const kinds: [kind: string, bytes: Buffer, contentType: string][] = [
  ['a PDF', pdf, 'application/pdf'],
  ['a PNG', makePng(3, 2), 'image/png'],
  ['a ZIP', makeZip(), 'application/zip'],
  ['text', Buffer.from('plain text\n'), 'text/plain'],
  ['HTML', Buffer.from('<!doctype html><script>1</script>'), 'text/plain'],
  ['one byte', Buffer.from([0]), 'application/octet-stream'],
];

async function fetchBytes(test: TestApp, id: string): Promise<Buffer> {
  const response = await fetch(`${test.app.publicUrl}/api/v1/documents/${id}/file`, {
    headers: keyOf(test),
  });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

describeFeature('an upload', (dialect) => {
  let test: TestApp;
  let transports: StreamTransport[];
  beforeAll(async () => {
    test = await startTestApp({ dialect });
    transports = openStreamTransports(test.app);
  });
  afterAll(async () => {
    for (const transport of transports) transport.close();
    await test.remove();
  });

  itHoldsFor(kinds, 6)(
    'stores its bytes and returns their size, type and digest',
    async (_, bytes, contentType) => {
      for (const transport of transports) {
        const halves = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)];
        const pieces: Piece[] = [
          { fileName: 'terms.pdf' },
          ...halves.map((half) => ({ file: half })),
        ];

        const answer = await transport.upload(pieces, keyOf(test));

        expect(answer, transport.name).toMatchObject({
          ok: true,
          message: {
            id: expect.stringMatching(/^doc_[0-9A-Za-z]{22}$/),
            name: 'terms.pdf',
            contentType,
            sizeBytes: bytes.length,
            sha256: sha256(bytes),
            workspaceId: test.env.WORKSPACE_ID,
          },
        });
        const id = answer.ok ? answer.message.id : '';
        expect(bytes.equals(await fetchBytes(test, id)), transport.name).toBe(true);
      }
    },
  );

  it('over HTTP returns 201 with a Location header and every field of the document', async () => {
    const form = multipartBody([{ name: 'file', filename: 'terms.pdf', body: pdf }], 'frontier');

    const response = await postForm(test.app, form, keyOf(test));

    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('application/json');
    const document = (await response.json()) as DocumentFields;
    expect(document).toEqual({
      id: document.id,
      name: 'terms.pdf',
      content_type: 'application/pdf',
      size_bytes: pdf.length,
      sha256: sha256(pdf),
      page_count: 2,
      view_count: 0,
      link_count: 0,
      workspace_id: test.env.WORKSPACE_ID,
      create_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
      update_time: document.create_time,
      viewable: true,
      version: 1,
      folder_id: '',
      preview: 'PREVIEW_UNSPECIFIED',
      preview_error: '',
      creator: expect.stringMatching(/^key_/),
      creator_name: '',
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
    });
    expect(response.headers.get('location')).toBe(`/api/v1/documents/${document.id}`);
    const read = await callSharingApi(test, 'GET', `/documents/${document.id}`);
    const body = { ...document, creator_name: expect.any(String) };
    expect(read).toMatchObject({ status: 200, body });
  });

  it('accepts its fields in any order', async () => {
    const orders: Piece[][] = [
      [{ name: 'Mine' }, { fileName: 'a.bin', file }],
      [{ fileName: 'a.bin', file }, { name: 'Mine' }],
      [{ workspaceId: test.env.WORKSPACE_ID }, { file }, { name: 'Mine' }],
      [{ file }, { name: 'Mine' }, { workspaceId: test.env.WORKSPACE_ID }],
    ];
    for (const transport of transports) {
      for (const pieces of orders) {
        const answer = await transport.upload(pieces, keyOf(test));
        expect(answer, transport.name).toMatchObject({ ok: true, message: { name: 'Mine' } });
      }
    }
  });

  it('is named "document" if the request contains no name', async () => {
    for (const transport of transports) {
      const answer = await transport.upload([{ file }], keyOf(test));
      expect(answer, transport.name).toMatchObject({ ok: true, message: { name: 'document' } });
    }
  });

  it('refuses an unreadable name, and stores no bytes', async () => {
    const before = await storedState(test);
    const names = [
      '   ',
      'a\nb',
      'a\u0000b',
      'invoice\u202efdp.exe',
      'x'.repeat(256),
      '😀'.repeat(256),
    ];
    for (const transport of transports) {
      for (const name of names) {
        const answer = await transport.upload([{ file }, { name }], keyOf(test));
        const error = { code: 'invalid_argument', fields: ['name'] };
        expect(answer, `${transport.name} ${JSON.stringify(name)}`).toMatchObject({
          ok: false,
          error,
        });
      }
    }
    await expect.poll(() => storedState(test)).toEqual(before);
  });

  it('by a caller without a workspace goes to the workspace that the request names', async () => {
    const workspaceId = await otherWorkspace(test);
    const credential = await serviceCredential(test, 'documents:write');
    for (const transport of transports) {
      const named = await transport.upload([{ file }, { workspaceId }], credential);
      expect(named, transport.name).toMatchObject({ ok: true, message: { workspaceId } });
    }
  });

  const refusals: [what: string, pieces: Piece[], code: string, fields: string[]][] = [
    ['that names no workspace', [{ file }], 'invalid_argument', ['workspace_id']],
    ['that names an unknown workspace', [{ file }, { workspaceId: 'ws_none' }], 'not_found', []],
    [
      'that names an invalid workspace',
      [{ file }, { workspaceId: 'a\u0000b' }],
      'invalid_argument',
      ['workspace_id'],
    ],
    [
      'that names two workspaces',
      [{ file }, { workspaceId: 'ws_other' }, { workspaceId: 'ws_other' }],
      'invalid_argument',
      ['workspace_id'],
    ],
  ];
  itHoldsFor(refusals, 4)(
    'by a caller without a workspace is refused',
    async (_, pieces, code, fields) => {
      const before = await storedState(test);
      const credential = await serviceCredential(test, 'documents:write');
      for (const transport of transports) {
        const answer = await transport.upload(pieces, credential);
        expect(answer, transport.name).toMatchObject({ ok: false, error: { code, fields } });
      }
      await expect.poll(() => storedState(test)).toEqual(before);
    },
  );

  it('with an API key cannot go to another workspace', async () => {
    const before = await storedState(test);
    for (const transport of transports) {
      const answer = await transport.upload([{ file }, { workspaceId: 'ws_other' }], keyOf(test));
      expect(answer, transport.name).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    }
    await expect.poll(() => storedState(test)).toEqual(before);
  });

  it('without a credential, or without the scope, stores nothing', async () => {
    const before = await storedState(test);
    const reader = await serviceCredential(test, 'documents:read');
    const workspaceId = test.env.WORKSPACE_ID;
    for (const transport of transports) {
      const stranger = await transport.upload([{ file }], {});
      expect(stranger, transport.name).toMatchObject({
        ok: false,
        error: { code: 'unauthenticated' },
      });
      const unscoped = await transport.upload([{ file }, { workspaceId }], reader);
      expect(unscoped, transport.name).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    }
    await expect.poll(() => storedState(test)).toEqual(before);
  });
});
