// The names of claims that a client cannot choose.

/** The claims that this service writes. */
export const ownClaimNames = [
  ...['iss', 'aud', 'sub', 'client_id', 'iat', 'exp', 'jti', 'scope'],
  ...['principal_type', 'accounts', 'auth_time', 'amr', 'sid'],
  ...['act', 'parent_ids', 'key_id', 'cnf'],
] as const;

/**
 * Registered claims about the token, its holder or its authentication. Verifiers rely on them: RFC
 * 7519 §4.1, RFC 7662 §2.2, RFC 7800 §3.1, RFC 8693 §4, RFC 8485 §3.1, RFC 8417 §2.2 and OpenID
 * Connect Core 1.0.
 */
const registered = [
  ...['nbf', 'may_act', 'acr', 'azp', 'nonce', 'at_hash', 'c_hash', 's_hash'],
  ...['sub_jwk', 'sub_id', 'vot', 'vtm', 'events', 'toe', 'txn', '_claim_names'],
  ...['_claim_sources', 'token_type', 'active', 'username', 'authorization_details', 'status'],
  ...['client_assertion', 'token_introspection'],
  // The user of OpenID Connect (§5.1). A verifier may mistake the client for that user. `roles`,
  // `groups` and `entitlements` (RFC 9068 §2.2.3) can be chosen: they say what the client may do.
  ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username'],
  ...['profile', 'picture', 'website', 'email', 'email_verified', 'gender', 'birthdate'],
  ...['zoneinfo', 'locale', 'phone_number', 'phone_number_verified', 'address', 'updated_at'],
  // Names of this service, which no token has at the moment.
  ...['allowed', 'code', 'account_id', 'actor', 'workspace_id', 'user_id', 'customer_id', 'scopes'],
  // Not data in JavaScript.
  '__proto__',
];

export const refusedClaimNames: ReadonlySet<string> = new Set([...ownClaimNames, ...registered]);
