// Shared functions of the gRPC loads: framing, and a single call.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';

export const connections = 4;
export const streams = 8;

/** Adds the gRPC prefix: no compression, and four bytes of length. */
export function frame(message) {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

export const pathOf = (method) => `/${method.parent.typeName}/${method.name}`;

export const encode = (method, fields) => toBinary(method.input, create(method.input, fields));

export const decode = (method, bytes) => fromBinary(method.output, bytes);

/** Sends one call and returns the bytes of the response message. */
export function callOnce(port, method, message, authorization) {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const metadata = new Metadata();
  if (authorization !== undefined) metadata.set('authorization', authorization);
  const keep = (bytes) => bytes;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      pathOf(method),
      Buffer.from,
      keep,
      message,
      metadata,
      (error, bytes) => {
        client.close();
        if (error) reject(error);
        else resolve(bytes);
      },
    );
  });
}

/** `sorted` is in ascending order. */
export function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
