// Uploads and downloads over gRPC, message by message.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Client, type ClientReadableStream, Metadata } from '@grpc/grpc-js';
import {
  DownloadDocumentRequestSchema,
  type DownloadDocumentResponse,
  DownloadDocumentResponseSchema,
  UploadDocumentRequestSchema,
  UploadDocumentResponseSchema,
} from '../../gen/latchkey/sharing/v1/document_pb.js';

const upload = '/latchkey.sharing.v1.DocumentService/UploadDocument';
const download = '/latchkey.sharing.v1.DocumentService/DownloadDocument';

type Fields = Readonly<Record<string, string>>;

export function metadataOf(fields: Fields): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(fields)) metadata.set(name, value);
  return metadata;
}

/** Uploads a document in pieces. Returns its id. */
export function uploadPieces(
  client: Client,
  credential: Fields,
  pieces: Iterable<Uint8Array>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const stream = client.makeClientStreamRequest(
      upload,
      (file: Uint8Array) =>
        Buffer.from(
          toBinary(UploadDocumentRequestSchema, create(UploadDocumentRequestSchema, { file })),
        ),
      (bytes: Buffer) => fromBinary(UploadDocumentResponseSchema, bytes),
      metadataOf(credential),
      {},
      (error, answer) => (error === null ? resolve(answer?.document?.id ?? '') : reject(error)),
    );
    for (const piece of pieces) stream.write(piece);
    stream.end();
  });
}

export function openDownload(
  client: Client,
  credential: Fields,
  documentId: string,
): ClientReadableStream<DownloadDocumentResponse> {
  const request = create(DownloadDocumentRequestSchema, { documentId });
  return client.makeServerStreamRequest(
    download,
    (bytes: Buffer) => bytes,
    (bytes: Buffer) => fromBinary(DownloadDocumentResponseSchema, bytes),
    Buffer.from(toBinary(DownloadDocumentRequestSchema, request)),
    metadataOf(credential),
  );
}
