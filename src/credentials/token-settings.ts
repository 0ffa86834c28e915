// How the tokens of a client or customer differ from those of others.
import { parseStoredScopes } from '../api/access/scopes.ts';
import type { ClientRow } from '../storage/schema/schema.ts';

export type TokenSettings = {
  /** Empty for the audience of this service. */
  readonly audienceIds: readonly string[];
  /** The members of a JSON object with additional claims, after a comma. May be empty. */
  readonly claims: string;
  /** Undefined for the configured lifetime. */
  readonly tokenSeconds: number | undefined;
  /** The scopes of a request without scopes. */
  readonly defaultScopes: readonly string[];
  /** The subjects whose tokens the client may exchange: ids and kinds of principals. */
  readonly mayAct: ReadonlySet<string>;
  /** Whether each token is bound to a key. */
  readonly isBound: boolean;
};

type Row = {
  readonly [C in
    | 'audience_ids'
    | 'claims'
    | 'token_seconds'
    | 'default_scopes'
    | 'may_act'
    | 'bound_tokens']?: ClientRow[C];
};

export function tokenSettingsOf(row: Row): TokenSettings {
  return {
    audienceIds: parseAudienceIds(row.audience_ids),
    claims: row.claims ? `,${row.claims.slice(1, -1)}` : '',
    tokenSeconds: row.token_seconds ?? undefined,
    defaultScopes: [...parseStoredScopes(row.default_scopes ?? '')],
    mayAct: parseStoredScopes(row.may_act ?? ''),
    isBound: row.bound_tokens === 1,
  };
}

// The ids of the audiences of a client or customer, in the stored form: space-separated, or null.

const none: readonly string[] = [];

export function parseAudienceIds(text: string | null | undefined): readonly string[] {
  return text === null || text === undefined ? none : text.split(' ');
}

/** Removes duplicates. */
export function storedAudienceIds(ids: readonly string[]): string | null {
  return ids.length === 0 ? null : [...new Set(ids)].join(' ');
}
