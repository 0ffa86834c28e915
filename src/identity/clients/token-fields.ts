// Checks the fields of a client that shape its tokens.
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import { invalid } from '../../base/errors/errors.ts';
import { isWellFormed } from '../../base/net/printable.ts';
import { refusedClaimNames } from '../../credentials/claim-names.ts';
import type { ClientRow } from '../../storage/schema/schema.ts';

const membersMax = 20;
const bytesMax = 4_096;

/** Returns additional claims in the stored form. Throws `invalid_argument` and names a bad one. */
export function storedClaims(claims: JsonObject | undefined): string | null {
  const names = Object.keys(claims ?? {});
  if (names.length === 0) return null;
  if (names.length > membersMax) throw invalid('claims', `must have at most ${membersMax} members`);
  for (const [name, value] of Object.entries(claims ?? {})) {
    if (refusedClaimNames.has(name)) {
      const detail = 'is the name of a registered claim, or of one of this service';
      throw invalid(`claims.${name}`, detail);
    }
    if (isKept(name) && isKept(value)) continue;
    throw invalid(`claims.${name}`, 'must have finite numbers, and no lone surrogates');
  }
  const text = JSON.stringify(claims);
  if (Buffer.byteLength(text) > bytesMax) {
    throw invalid('claims', `must have at most ${bytesMax} bytes as JSON`);
  }
  return text;
}

/** Whether a token can contain the value: JSON and UTF-8 would change any other without a sign. */
function isKept(value: JsonValue): boolean {
  if (typeof value === 'string') return isWellFormed(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isKept);
  return Object.entries(value).every(([name, item]) => isKept(name) && isKept(item));
}

/** Throws `invalid_argument` unless each default scope is one of the client's scopes. */
export function requireOwnScopes(row: Pick<ClientRow, 'scopes' | 'default_scopes'>): void {
  const scopes = parseStoredScopes(row.scopes);
  const other = [...parseStoredScopes(row.default_scopes ?? '')].find((one) => !scopes.has(one));
  if (other !== undefined) throw invalid('default_scopes', `${other} is not one of the scopes`);
}
