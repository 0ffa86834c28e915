/** Errors of plain HTTP requests, which have the format of RFC 9457. */
export type ProblemField = { readonly field: string; readonly detail: string };

export type ProblemDetails = {
  /** The error code; undefined if the response does not come from the service. */
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly fields?: readonly ProblemField[];
};

export class ProblemError extends Error {
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly fields: readonly ProblemField[];

  constructor(message: string, facts: ProblemDetails) {
    super(message);
    const { code, requestId, retryAfterSeconds, fields = [] } = facts;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
    this.fields = fields;
  }
}

/**
 * Parses an error response, which may also come from a proxy. `retryAfter`: the header of that
 * name.
 */
export function parseProblem(
  status: number,
  body: string,
  retryAfter: string | null,
): ProblemError {
  const { detail, code, request_id: requestId, errors } = parseJsonObject(body);
  if (typeof detail !== 'string' || typeof code !== 'string') {
    return new ProblemError(
      `The server returned an unexpected response with status ${status}.`,
      {},
    );
  }
  return new ProblemError(detail, {
    code,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    retryAfterSeconds: /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined,
    fields: Array.isArray(errors) ? errors.map(toRecord).flatMap(toField) : [],
  });
}

function toField({ field, detail }: Record<string, unknown>): ProblemField[] {
  return typeof field === 'string' && typeof detail === 'string' ? [{ field, detail }] : [];
}

/** Parses a JSON object; returns an empty object for anything else. */
export const parseJsonObject = (body: string) => toRecord(parseJson(body));

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
