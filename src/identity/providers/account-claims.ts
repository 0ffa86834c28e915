// Reads the claims about an account (OpenID Connect Core 1.0 §5.1), which a provider may put into
// the ID token or into the UserInfo response.
import type { IDToken, UserInfoResponse } from 'openid-client';
import { readClaimText } from '../../base/crypto/claim-text.ts';
import { readEmail } from '../../base/net/email.ts';
import type { IdentityProviderRow } from '../../storage/schema/schema.ts';
import { SignInRefusal } from './problems.ts';

export type AccountClaims = {
  readonly subject: string;
  /** In lower case. Undefined unless the provider has verified it. */
  readonly verifiedEmail: string | undefined;
  readonly name: string;
  readonly groups: readonly string[];
  /** The methods of the sign-in (RFC 8176). */
  readonly amr: readonly string[];
  /** When the provider authenticated the user, in milliseconds since 1970. */
  readonly authTime: number | undefined;
  /** The id of the session at the provider. */
  readonly sid: string | undefined;
};

export type Sources = { readonly idToken: IDToken; readonly userInfo?: UserInfoResponse };

const subjectMax = 255;
const nameMax = 255;
const groupsMax = 1_000;
const amrMax = 10;

type Provider = Pick<IdentityProviderRow, 'groups_claim' | 'email_verified_claim'>;

export function readAccountClaims(
  { idToken, userInfo }: Sources,
  provider: Provider,
): AccountClaims {
  const { sub, auth_time: authTime, amr, sid } = idToken;
  // Core 1.0 §2: at most 255 ASCII characters.
  if (!/^[\x20-\x7e]+$/.test(sub) || sub.length > subjectMax) {
    throw new SignInRefusal('response_invalid');
  }
  // The address and its verification come from one source.
  const source: Record<string, unknown> = 'email' in idToken ? idToken : (userInfo ?? {});
  const all: Record<string, unknown> = { ...userInfo, ...idToken };
  const groups = all[provider.groups_claim];
  return {
    subject: sub,
    verifiedEmail: isTrue(source[provider.email_verified_claim])
      ? readEmail(textOf(source.email))
      : undefined,
    name: printable(textOf(all.name)),
    groups: textsOf(typeof groups === 'string' ? [groups] : groups).slice(0, groupsMax),
    amr: textsOf(amr)
      .filter((method) => /^[\w-]{1,32}$/.test(method))
      .slice(0, amrMax),
    // A provider may send a fraction of a second (RFC 7519 §2, NumericDate).
    authTime: typeof authTime === 'number' ? Math.floor(authTime) * 1000 : undefined,
    sid: readClaimText(sid),
  };
}

/** Some providers send flags as text. */
const isTrue = (value: unknown) =>
  value === true || value === 'true' || value === 1 || value === '1';

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const printable = (name: string) =>
  [...name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()].slice(0, nameMax).join('').trim();
