// A method with the facts that all its calls share.
import { fromBinary, type Message } from '@bufbuild/protobuf';
import { unaryBodyBytesMax } from '../../api/body-budget.ts';
import type { Endpoint } from '../../api/endpoint.ts';
import type { ResponseBudget } from '../../api/response-budget.ts';
import { fail } from '../../base/errors/errors.ts';
import type { BodyRules } from './body.ts';
import type { CallLimits } from './call-limits.ts';

export type GrpcMethod<Call> = {
  readonly endpoint: Endpoint;
  readonly isUpload: boolean;
  readonly body: BodyRules;
  readonly limits: CallLimits;
  readonly responses: ResponseBudget;
  /** Handles a call. Called after its headers have arrived. */
  readonly serve: (call: Call) => void;
};

type MethodKind = Pick<GrpcMethod<never>, 'endpoint' | 'isUpload'>;

/** Throws an error of the catalogue if the bytes are too long or not a valid message. */
export function decodeRequest({ endpoint, isUpload }: MethodKind, bytes: Buffer): Message {
  if (bytes.length > unaryBodyBytesMax && !isUpload) {
    throw fail('payload_too_large', `A message is larger than ${unaryBodyBytesMax} bytes.`);
  }
  try {
    return fromBinary(endpoint.descriptor.input, bytes);
  } catch (cause) {
    const detail = 'The request is not a valid message of this method.';
    throw fail('invalid_argument', detail, { cause });
  }
}
