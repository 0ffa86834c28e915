// Code for a browser page of another origin. It calls the API with the clients of connect-web.
import { ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-web';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';

const transports = { connect: createConnectTransport, grpcWeb: createGrpcWebTransport };

/** Returns the results by transport. Fails if the browser hides a response. */
async function callApi(baseUrl: string, apiKey: string, documentId: string) {
  const results: Record<string, unknown> = {};
  for (const [name, createTransport] of Object.entries(transports)) {
    const client = createClient(DocumentService, createTransport({ baseUrl }));
    const headers = { authorization: `Bearer ${apiKey}` };
    let requestId = '';
    const { document } = await client.getDocument(
      { documentId },
      {
        headers,
        onHeader(header) {
          requestId = header.get('x-request-id') ?? '';
        },
      },
    );
    let bytes = 0;
    for await (const { part } of client.downloadDocument({ documentId }, { headers })) {
      if (part.case === 'chunk') bytes += part.value.length;
    }
    const refused = await client.getDocument({ documentId }).catch(ConnectError.from);
    results[name] = {
      id: document?.id,
      hasRequestId: requestId !== '',
      bytes,
      code: refused instanceof ConnectError ? refused.rawMessage : 'ok',
    };
  }
  return results;
}

Object.assign(globalThis, { callApi });
