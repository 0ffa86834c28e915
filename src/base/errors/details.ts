// Converts errors of the catalogue to google.rpc details, for gRPC and Connect.
import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RequestInfoSchema,
  RetryInfoSchema,
} from '../../../gen/google/rpc/error_details_pb.js';
import type { Failure } from './errors.ts';

type Detail = { desc: DescMessage; value: MessageInitShape<DescMessage> };

export function errorDetails(failure: Failure, requestId: string): Detail[] {
  const details: Detail[] = [
    {
      desc: ErrorInfoSchema,
      value: create(ErrorInfoSchema, { reason: failure.code, domain: 'latchkey' }),
    },
    { desc: RequestInfoSchema, value: create(RequestInfoSchema, { requestId }) },
  ];
  const { fields, retryAfterSeconds } = failure.extra;
  if (fields !== undefined && fields.length > 0) {
    const fieldViolations = fields.map(({ field, detail }) => ({ field, description: detail }));
    details.push({ desc: BadRequestSchema, value: create(BadRequestSchema, { fieldViolations }) });
  }
  if (retryAfterSeconds !== undefined) {
    const retryDelay = { seconds: BigInt(retryAfterSeconds) };
    details.push({ desc: RetryInfoSchema, value: create(RetryInfoSchema, { retryDelay }) });
  }
  return details;
}
