// An app whose gRPC listener has short limits, for tests of single calls and connections.
import { create, toBinary } from '@bufbuild/protobuf';
import { beforeAll, onTestFinished } from 'vitest';
import { IssueTokenRequestSchema } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { DownloadDocumentRequestSchema } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { startTestApp } from './harness.ts';
import { openCall, openSession, prefix, shortLimits } from './raw-grpc.ts';
import { keyOf, upload } from './sharing-api.ts';
import { useStarted } from './use-started.ts';

const download = '/latchkey.sharing.v1.DocumentService/DownloadDocument';

export function useGrpcApp() {
  const app = useStarted(() => startTestApp({ grpcLimits: shortLimits }));
  let documentId: string;
  beforeAll(async () => {
    documentId = (await upload(app, Buffer.alloc(4 * 1024 * 1024, 'text '))).id;
  });

  async function session() {
    const opened = await openSession(app.app.grpcAddress);
    onTestFinished(() => opened.destroy());
    return opened;
  }

  return {
    app,
    session,

    /** The request of an issued token. */
    tokenRequest(): Buffer {
      const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = app.env;
      const fields = { clientId, clientSecret, scope: 'tokens:read' };
      const bytes = toBinary(IssueTokenRequestSchema, create(IssueTokenRequestSchema, fields));
      return Buffer.concat([prefix(bytes.length), bytes]);
    },

    /** A download that the client does not read. */
    async openUnread() {
      const call = openCall(await session(), download, keyOf(app));
      call.stream.pause();
      const fields = create(DownloadDocumentRequestSchema, { documentId });
      const request = toBinary(DownloadDocumentRequestSchema, fields);
      call.stream.end(Buffer.concat([prefix(request.length), request]));
      return call;
    },
  };
}
