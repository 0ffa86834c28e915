/** An error in the service's words that came otherwise than by Connect: as RFC 9457 has it. */
export type ProblemField = { readonly field: string; readonly detail: string };

export type ProblemDetails = {
  /** The code of the service's catalogue; undefined where the answer is not the service's. */
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  /** For how long trying again is of no use. */
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
 * Reads an answer that is an error. Something before the service, such as a proxy, may answer.
 * `retryAfter`: the header of that name.
 */
export function parseProblem(
  status: number,
  body: string,
  retryAfter: string | null,
): ProblemError {
  const problem = parseJsonObject(body);
  const { detail, code, request_id: requestId, errors } = problem;
  if (typeof detail !== 'string' || typeof code !== 'string') {
    return new ProblemError(`The answer was ${status}, and not in the service’s own words.`, {});
  }
  return new ProblemError(detail, {
    code,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    retryAfterSeconds: /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined,
    fields: Array.isArray(errors) ? errors.map(toRecord).flatMap(fieldOf) : [],
  });
}

function fieldOf({ field, detail }: Record<string, unknown>): ProblemField[] {
  return typeof field === 'string' && typeof detail === 'string' ? [{ field, detail }] : [];
}

/** The members of a body that is a JSON object; none of one that is anything else. */
export const parseJsonObject = (body: string) => toRecord(parsed(body));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
