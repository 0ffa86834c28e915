/** What the service says of an error, beside its text. */
import { type Code, ConnectError } from '@connectrpc/connect';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RequestInfoSchema,
  RetryInfoSchema,
} from '../../../gen/google/rpc/error_details_pb.js';
import { ProblemError, type ProblemField } from './problem-error.ts';

/** The code of the service's catalogue; undefined for what it has not said. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof ProblemError) return error.code;
  if (!(error instanceof ConnectError)) return undefined;
  return error.findDetails(ErrorInfoSchema)[0]?.reason;
}

/** What a support request should quote. */
export function requestIdOf(error: unknown): string | undefined {
  if (error instanceof ProblemError) return error.requestId;
  if (!(error instanceof ConnectError)) return undefined;
  return error.findDetails(RequestInfoSchema)[0]?.requestId || undefined;
}

/** For how many seconds trying again is of no use; undefined where the service has not said it. */
export function retryAfterSecondsOf(error: unknown): number | undefined {
  if (error instanceof ProblemError) return error.retryAfterSeconds;
  if (!(error instanceof ConnectError)) return undefined;
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  return delay === undefined ? undefined : Number(delay.seconds);
}

/** A refusal of the console's own, told apart as the service's are. */
export function localError(reason: string, text: string, code: Code, requestId = ''): ConnectError {
  return new ConnectError(text, code, undefined, [
    { desc: ErrorInfoSchema, value: { reason } },
    { desc: RequestInfoSchema, value: { requestId } },
  ]);
}

export type FieldError = {
  /** As the contract names it, such as `expire_time` or `scopes[0]`. */
  readonly field: string;
  /** As a form here names it, such as `expireTime` or `scopes`. */
  readonly name: string;
  readonly detail: string;
};

/** Which fields were wrong. */
export function fieldErrorsOf(error: unknown): FieldError[] {
  return problemFieldsOf(error).map(({ field, detail }) => ({
    field,
    name: nameOf(field),
    detail,
  }));
}

function problemFieldsOf(error: unknown): readonly ProblemField[] {
  if (error instanceof ProblemError) return error.fields;
  if (!(error instanceof ConnectError)) return [];
  return error
    .findDetails(BadRequestSchema)
    .flatMap((details) => details.fieldViolations)
    .map(({ field, description }) => ({ field, detail: description }));
}

const nameOf = (field: string) =>
  field.replace(/[.[].*$/, '').replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
