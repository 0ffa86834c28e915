// Uploads of versions over gRPC and Connect; sharing-api.ts has the one over HTTP.
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import {
  type Document,
  DocumentService,
  type UploadVersionRequestSchema,
} from '../../gen/latchkey/sharing/v1/document_pb.js';
import type { TestApp } from './harness.ts';

export type VersionPiece = MessageInitShape<typeof UploadVersionRequestSchema>;

type UploadVersion = (test: TestApp, pieces: VersionPiece[]) => Promise<Document | undefined>;

const { uploadVersion } = DocumentService.method;

const overConnect: UploadVersion = async ({ app, env }, pieces) => {
  const transport = createConnectTransport({ baseUrl: app.publicUrl, httpVersion: '1.1' });
  async function* requests() {
    yield* pieces;
  }
  const headers = { authorization: `Bearer ${env.API_KEY}` };
  const client = createClient(DocumentService, transport);
  return (await client.uploadVersion(requests(), { headers })).document;
};

const overGrpc: UploadVersion = async ({ app, env }, pieces) => {
  const client = new Client(app.grpcAddress, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${env.API_KEY}`);
  try {
    return await new Promise((resolve, reject) => {
      const call = client.makeClientStreamRequest(
        `/${uploadVersion.parent.typeName}/${uploadVersion.name}`,
        (piece: VersionPiece) =>
          Buffer.from(toBinary(uploadVersion.input, create(uploadVersion.input, piece))),
        (bytes: Buffer) => fromBinary(uploadVersion.output, bytes),
        metadata,
        (error, answer) => (error === null ? resolve(answer?.document) : reject(error)),
      );
      for (const piece of pieces) call.write(piece);
      call.end();
    });
  } finally {
    client.close();
  }
};

export const versionUploads = { grpc: overGrpc, connect: overConnect };
