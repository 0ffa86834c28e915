// The error responses of an operation, from the error catalogue.
import { catalogue, type ErrorCode } from '../../src/base/errors/catalogue.ts';
import type { Schema } from './schema.ts';

/** The possible errors of an operation: codes and causes. An empty cause is the catalogue's. */
export type Causes = ReadonlyMap<ErrorCode, string>;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(catalogue, code);
}

const codes = Object.keys(catalogue);

const problemProperties = {
  type: {
    type: 'string',
    format: 'uri',
    description: 'The address of the explanation of the code.',
  },
  title: { type: 'string', description: 'A short text, which is the same for every error.' },
  status: { type: 'integer', description: 'The HTTP status.' },
  detail: { type: 'string', description: 'The reason, for people. Programs must not parse it.' },
  code: {
    type: 'string',
    enum: codes,
    description: 'The stable code of the error. Programs decide by it.',
  },
  request_id: {
    type: 'string',
    description: 'The id of the request. The log of the service contains the cause under it.',
  },
  errors: {
    type: 'array',
    description:
      'The invalid fields. Errors with the code `invalid_argument` have it, and ' +
      '`identity.credential_invalid` where the current password is wrong.',
    items: {
      type: 'object',
      required: ['field', 'detail'],
      properties: {
        field: { type: 'string', description: 'The path of the field, by proto name.' },
        detail: { type: 'string', description: 'Why the value is invalid.' },
      },
    },
  },
};

const oauthErrors = [...new Set(Object.values(catalogue).map(({ oauth }) => oauth))];
const required = ['type', 'title', 'status', 'detail', 'code', 'request_id'];

export const problemSchemas: Readonly<Record<string, Schema>> = {
  Problem: {
    type: 'object',
    description: 'An error (RFC 9457).',
    properties: problemProperties,
    required,
  },
  OAuthProblem: {
    type: 'object',
    description: 'An error with the additional members of RFC 6749 §5.2, for OAuth libraries.',
    properties: {
      ...problemProperties,
      error: { type: 'string', enum: oauthErrors, description: 'The code of RFC 6749.' },
      error_description: { type: 'string', description: 'The same text as `detail`, in ASCII.' },
    },
    required: [...required, 'error', 'error_description'],
  },
};

/** The error responses of an operation, by status. */
export function errorResponses(causes: Causes, isOAuth: boolean): Record<string, Schema> {
  const statuses = new Map<number, ErrorCode[]>();
  for (const code of Object.keys(catalogue).filter(isErrorCode)) {
    if (!causes.has(code)) continue;
    const { status } = catalogue[code];
    statuses.set(status, [...(statuses.get(status) ?? []), code]);
  }
  const entries = [...statuses].map(([status, listed]): [string, Schema] => {
    const [first] = listed;
    const isGeneral = listed.length === 1 && first !== undefined && causes.get(first) === '';
    const response = isGeneral
      ? { $ref: `#/components/responses/${componentName(first, isOAuth)}` }
      : errorResponse(listed, causes, isOAuth);
    return [String(status), response];
  });
  return Object.fromEntries(entries);
}

/** The responses that mention only the cause of the catalogue, by the names of their components. */
export function generalResponses(): Record<string, Schema> {
  const causes = new Map(codes.filter(isErrorCode).map((code): [ErrorCode, string] => [code, '']));
  const entries = [false, true].flatMap((isOAuth) =>
    [...causes.keys()].map((code): [string, Schema] => [
      componentName(code, isOAuth),
      errorResponse([code], causes, isOAuth),
    ]),
  );
  return Object.fromEntries(entries);
}

function componentName(code: ErrorCode, isOAuth: boolean): string {
  const words = code.split(/[._]/).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${words.join('')}${isOAuth ? 'OAuth' : ''}`;
}

function errorResponse(listed: readonly ErrorCode[], causes: Causes, isOAuth: boolean): Schema {
  const [first = 'internal'] = listed;
  const { status } = catalogue[first];
  const description = listed
    .map((code) => `- \`${code}\`: ${causes.get(code) || catalogue[code].cause}`)
    .join('\n');
  const base = { $ref: `#/components/schemas/${isOAuth ? 'OAuthProblem' : 'Problem'}` };
  const narrowed = { type: 'object', properties: { code: { type: 'string', enum: listed } } };
  const type = isOAuth ? 'application/json' : 'application/problem+json';
  const media = { schema: { allOf: [base, narrowed] }, example: exampleOf(first, isOAuth) };
  const headers = {
    'X-Request-Id': header('RequestId'),
    'Cache-Control': header('CacheControl'),
    ...errorHeaders(status),
    ...(listed.includes('identity.dpop_nonce_required') ? { 'DPoP-Nonce': header('Nonce') } : {}),
  };
  return { description, headers, content: { [type]: media } };
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers that only errors with this status have. */
export function errorHeaders(status: number): Schema {
  return {
    ...(status === 401 || status === 403 ? { 'WWW-Authenticate': header('Challenge') } : {}),
    ...(status === 429 || status === 503 ? { 'Retry-After': header('RetryAfter') } : {}),
    ...(status === 416 ? { 'Content-Range': header('ContentRange') } : {}),
  };
}

function exampleOf(code: ErrorCode, isOAuth: boolean): Schema {
  const { status, title, oauth } = catalogue[code];
  const detail = details[code] ?? `${title}.`;
  return {
    type: `https://latchkey.example/errors#${code}`,
    title,
    status,
    detail,
    code,
    request_id: '7d0f5a1e-3c52-4a6e-9d57-2f1f8b1c6a40',
    ...(code === 'invalid_argument'
      ? { errors: [{ field: 'name', detail: 'must be at most 255 characters' }] }
      : {}),
    ...(isOAuth ? { error: oauth, error_description: detail } : {}),
  };
}

const details: Partial<Record<ErrorCode, string>> = {
  invalid_argument: 'name: must be at most 255 characters',
  unauthenticated: 'The request contains no credential.',
  not_found: 'Nothing exists at this path.',
};
