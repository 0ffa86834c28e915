/** An error in the service's words that came otherwise than by Connect: as RFC 9457 has it. */
export type RefusedField = { readonly field: string; readonly detail: string };

export type RefusalFacts = {
  /** The code of the service's catalogue; undefined where the answer is not the service's. */
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  /** For how long trying again is of no use. */
  readonly retryAfterSeconds?: number | undefined;
  readonly fields?: readonly RefusedField[];
};

export class Refusal extends Error {
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly fields: readonly RefusedField[];

  constructor(message: string, facts: RefusalFacts) {
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
export function refusalOf(status: number, body: string, retryAfter: string | null): Refusal {
  const problem = membersIn(body);
  const { detail, code, request_id: requestId, errors } = problem;
  if (typeof detail !== 'string' || typeof code !== 'string') {
    return new Refusal(`The answer was ${status}, and not in the service’s own words.`, {});
  }
  return new Refusal(detail, {
    code,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    retryAfterSeconds: /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined,
    fields: Array.isArray(errors) ? errors.map(membersOf).flatMap(fieldOf) : [],
  });
}

function fieldOf({ field, detail }: Record<string, unknown>): RefusedField[] {
  return typeof field === 'string' && typeof detail === 'string' ? [{ field, detail }] : [];
}

/** The members of a body that is a JSON object; none of one that is anything else. */
export const membersIn = (body: string) => membersOf(parsed(body));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
