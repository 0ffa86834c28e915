// The metadata of a gRPC call: the headers of the request, and the details of an error.
import { create, toBinary } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { Metadata } from '@grpc/grpc-js';
import { StatusSchema } from '../../../gen/google/rpc/status_pb.js';
import { errorDetails } from '../../base/errors/details.ts';
import type { Failure } from '../../base/errors/errors.ts';

export function headersOf(metadata: Metadata | undefined): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(metadata?.getMap() ?? {})) {
    if (typeof value === 'string') headers.append(name, value);
  }
  return headers;
}

export function headMetadata(requestId: string, headers: Headers | undefined): Metadata {
  const metadata = new Metadata();
  metadata.set('x-request-id', requestId);
  for (const [name, value] of headers ?? []) metadata.add(name, value);
  return metadata;
}

export function errorStatus(failure: Failure, requestId: string) {
  const details = errorDetails(failure, requestId);
  const message = create(StatusSchema, {
    code: failure.grpc,
    message: failure.message,
    details: details.map(({ desc, value }) => anyPack(desc, create(desc, value))),
  });
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from(toBinary(StatusSchema, message)));
  const { challenge, headers = {} } = failure.extra;
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  if (challenge !== undefined) metadata.set('www-authenticate', challenge);
  return { code: Number(failure.grpc), details: failure.message, metadata };
}
