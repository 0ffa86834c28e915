// A method with the facts that all its calls share, and the time limits of calls.
import type { Message } from '@bufbuild/protobuf';
import { unaryBodyBytesMax } from '../../api/body-budget.ts';
import type { Endpoint } from '../../api/endpoint.ts';
import type { ResponseBudget } from '../../api/response-budget.ts';
import { fail } from '../../base/errors/errors.ts';
import { decodeBinary } from '../http/message.ts';
import type { BodyRules } from './body.ts';

export type CallLimits = {
  /** Time limit for the body of a call that is not an upload. */
  readonly bodyMs: number;
  readonly uploadMs: number;
  /** Time limit for the client to read a response, or its next part. */
  readonly unreadMs: number;
  /** Time limit for the client to end its body after the response (RFC 9113 §8.1). */
  readonly trailingBodyMs: number;
};

export const callLimits: CallLimits = {
  bodyMs: 30_000,
  uploadMs: 30 * 60_000,
  unreadMs: 60_000,
  trailingBodyMs: 5_000,
};

export type GrpcMethod<Call> = {
  readonly endpoint: Endpoint;
  readonly isUpload: boolean;
  readonly body: BodyRules;
  readonly limits: CallLimits;
  readonly responses: ResponseBudget;
  readonly serve: (call: Call) => void;
};

type MethodKind = Pick<GrpcMethod<never>, 'endpoint' | 'isUpload'>;

export function decodeRequest({ endpoint, isUpload }: MethodKind, bytes: Buffer): Message {
  if (bytes.length > unaryBodyBytesMax && !isUpload) {
    throw fail('payload_too_large', `A message is larger than ${unaryBodyBytesMax} bytes.`);
  }
  return decodeBinary(endpoint.descriptor.input, bytes);
}
