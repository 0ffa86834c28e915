/** The details of an error: code, request ID, retry delay and field errors. */
import { type Code, ConnectError } from '@connectrpc/connect';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RequestInfoSchema,
  RetryInfoSchema,
} from '../../../gen/google/rpc/error_details_pb.js';
import { adviceFor } from './field-advice.ts';
import { ProblemError, type ProblemField } from './problem-error.ts';

/** The error code of the service; undefined if the error does not come from the service. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof ProblemError) return error.code;
  if (!(error instanceof ConnectError)) return undefined;
  return error.findDetails(ErrorInfoSchema)[0]?.reason;
}

export function requestIdOf(error: unknown): string | undefined {
  if (error instanceof ProblemError) return error.requestId;
  if (!(error instanceof ConnectError)) return undefined;
  return error.findDetails(RequestInfoSchema)[0]?.requestId || undefined;
}

/** Seconds to wait before a retry; undefined if the service does not say. */
export function retryAfterSecondsOf(error: unknown): number | undefined {
  if (error instanceof ProblemError) return error.retryAfterSeconds;
  if (!(error instanceof ConnectError)) return undefined;
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  return delay === undefined ? undefined : Number(delay.seconds);
}

/** Creates an error of the console with the details of a service error. */
export function localError(reason: string, text: string, code: Code, requestId = ''): ConnectError {
  return new ConnectError(text, code, undefined, [
    { desc: ErrorInfoSchema, value: { reason } },
    { desc: RequestInfoSchema, value: { requestId } },
  ]);
}

export type FormFieldError = {
  /** The name in the API, such as `expire_time` or `scopes[0]`. */
  readonly field: string;
  /** The name in the form, such as `expireTime` or `scopes`. */
  readonly name: string;
  readonly detail: string;
  /** The detail for a message at the field. It names a member, such as `aud` of `claims.aud`. */
  readonly text: string;
};

export function fieldErrorsOf(error: unknown): FormFieldError[] {
  return problemFieldsOf(error).map(({ field, detail }) => ({
    field,
    name: formFieldNameOf(field),
    detail: adviceFor(detail),
    text: textAtField(field, adviceFor(detail)),
  }));
}

function textAtField(field: string, detail: string): string {
  const [, member] = /^[^.[]*\.(.+)$/.exec(field) ?? [];
  if (member === undefined) return detail;
  return /^\p{Lu}/u.test(detail) ? `${member}: ${detail}` : `${member} ${detail}`;
}

function problemFieldsOf(error: unknown): readonly ProblemField[] {
  if (error instanceof ProblemError) return error.fields;
  if (!(error instanceof ConnectError)) return [];
  return error
    .findDetails(BadRequestSchema)
    .flatMap((details) => details.fieldViolations)
    .map(({ field, description }) => ({ field: withoutRequest(field), detail: description }));
}

/** A form has the same fields for each request of a batch. */
const withoutRequest = (field: string) => field.replace(/^requests\[\d+\]\./, '');

const formFieldNameOf = (field: string) =>
  field.replace(/[.[].*$/, '').replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
