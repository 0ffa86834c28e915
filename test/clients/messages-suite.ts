// The messages and the lists of the package @latchkey/client, as it is installed.
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type * as Main from '../../clients/client/src/index.ts';
import type * as Node from '../../clients/client/src/node.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import type { PackedClients } from '../support/packed-clients.ts';
import { itHoldsFor } from '../support/rule.ts';

export function describeMessages(installed: () => PackedClients): void {
  let main: typeof Main;
  let grpc: Node.GrpcClient;
  let testApp: TestApp;
  beforeAll(async () => {
    main = await installed().load('@latchkey/client');
    const node: typeof Node = await installed().load('@latchkey/client/node');
    testApp = await startTestApp();
    const grpcUrl = `http://${testApp.app.grpcAddress}`;
    grpc = node.createGrpcClient({ grpcUrl, credentials: { apiKey: testApp.env.API_KEY } });
  });
  afterAll(async () => {
    grpc?.close();
    await testApp?.remove();
  });

  const overHttp = (format: 'binary' | 'json') => () => {
    const credentials = { apiKey: testApp.env.API_KEY };
    return main.createClient({ baseUrl: testApp.app.publicUrl, credentials, format });
  };
  const opened = {
    'HTTP with binary messages': overHttp('binary'),
    'HTTP with JSON': overHttp('json'),
    gRPC: () => grpc,
  };

  describe('@latchkey/client over each protocol', () => {
    itHoldsFor(Object.entries(opened), 3)(
      'returns messages that JSON.stringify writes, and lists that a loop reads',
      async (_name, open) => {
        const { links, documents, upload } = open();
        const bytes = Buffer.from('Listed');
        const document = await upload(bytes, { name: 'Listed', fileName: 'listed.bin' });
        expect(JSON.parse(JSON.stringify({ document }))).toMatchObject({
          document: {
            id: document.id,
            sizeBytes: bytes.length,
            createTime: expect.stringMatching(/Z$/),
          },
        });
        const made: string[] = [];
        for (let i = 0; i < 5; i++) {
          const { link } = await links.createLink({ documentId: document.id });
          made.push(link?.id ?? '');
        }
        const page = await links.listLinks({ documentId: document.id, pageSize: 2 });
        const { links: written } = JSON.parse(JSON.stringify(page));
        expect(written).toHaveLength(2);
        expect(written[0]).toMatchObject({ createTime: expect.stringMatching(/Z$/) });
        expect(Object.keys(page)).not.toContain('toJSON');

        const listed: string[] = [];
        const request = { documentId: document.id, pageSize: 2 };
        for await (const { id } of main.listAll(links.listLinks, request)) listed.push(id);
        expect(listed.sort()).toEqual(made.sort());
        for await (const { name } of main.listAll(documents.listDocuments, { query: 'Listed' })) {
          expect(name).toBe('Listed');
        }
        const unknown = main.listAll(links.listLinks, { orderBy: 'unknown' });
        await expect(unknown.next()).rejects.toMatchObject({ code: 'invalid_argument' });
      },
    );
  });
}
