// The token exchange (RFC 8693): a client exchanges the token of a subject for one with which it
// acts for the subject. The new token covers no more than the exchanged one and the client do.
import type {
  IssueTokenRequest,
  IssueTokenResponse,
} from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import { parseRequestedScopes, requireGranted } from '../../api/access/scopes.ts';
import { type Failure, fail, failureOf, invalid } from '../../base/errors/errors.ts';
import type { Audiences } from '../audiences/audiences.ts';
import { actorsOf, apiKeyIdOf, type Claims, type KeyBinding, tokenTypeOf } from './claims.ts';
import type { AuthenticatedClient } from './client-authentication.ts';
import { mayActFor } from './current-grants.ts';
import type { Signer } from './signer.ts';
import type { Verifier } from './verifier.ts';

export const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** The only type of token that can be exchanged and issued (RFC 8693 §3). */
const accessToken = 'urn:ietf:params:oauth:token-type:access_token';

/** Bounds the size of a token, and the checks that it needs. */
const actorsMax = 5;

/**
 * Throws `invalid_argument`, `identity.scope_not_granted` or `identity.invalid_target`, with the
 * reason for the audit log.
 */
export type ExchangeToken = (
  request: IssueTokenRequest,
  client: AuthenticatedClient,
  cnf: KeyBinding | undefined,
) => Promise<Omit<IssueTokenResponse, '$typeName'>>;

export type TokenExchangeOptions = {
  readonly verifier: Verifier;
  readonly audiences: Audiences;
  readonly signer: Signer;
  readonly serviceTokenSeconds: number;
};

const exchangeFields = [
  ['subjectToken', 'subject_token'],
  ['subjectTokenType', 'subject_token_type'],
  ['actorToken', 'actor_token'],
  ['actorTokenType', 'actor_token_type'],
  ['requestedTokenType', 'requested_token_type'],
  ['accounts', 'accounts'],
] as const;

/** For other grants. The caller would take the token for a limited one. */
export function refuseExchangeFields(request: IssueTokenRequest): void {
  for (const [field, name] of exchangeFields) {
    if (request[field].length === 0) continue;
    throw invalid(name, `must be unset unless grant_type is ${tokenExchange}`);
  }
}

export function createTokenExchange(options: TokenExchangeOptions): ExchangeToken {
  const { verifier, audiences, signer, serviceTokenSeconds } = options;

  async function readToken(token: string, field: string): Promise<Claims> {
    const claims = await verifier.verifyFor(token, () => true);
    if (claims !== undefined) return claims;
    throw invalid(field, 'must be a live access token of this service');
  }

  async function exchange(...[request, client, cnf]: Parameters<ExchangeToken>) {
    requireTypes(request);
    const { clientId, tokenSettings } = client;
    const subject = await readToken(request.subjectToken, 'subject_token');
    requireMayAct(subject, client);
    // The client does not have the key of the subject.
    if (subject.cnf !== undefined) throw invalid('subject_token', 'must not be bound to a key');
    const actor =
      request.actorToken === '' ? undefined : await readToken(request.actorToken, 'actor_token');
    if (actor !== undefined) requireOwnToken(actor, clientId, cnf);
    const scope = chooseScopes(request.scope, client.scopes, subject, actor).join(' ');
    const accounts = chooseAccounts(request.accounts, subject);
    const resource = request.resource === '' ? subject.aud : request.resource;
    const audience = await audiences.choose(tokenSettings.audienceIds, resource);
    if (audience.identifier !== subject.aud) {
      throw fail('identity.invalid_target', 'resource: must be the audience of subject_token');
    }
    const { token, lifetimeSeconds } = await signer.sign(
      {
        sub: subject.sub,
        client_id: clientId,
        scope,
        principal_type: subject.principal_type,
        ...(accounts === undefined ? {} : { accounts }),
        ...(subject.sid === undefined ? {} : { sid: subject.sid }),
        ...(subject.principal_type === 'customer' ? { key_id: apiKeyIdOf(subject) } : {}),
        act: { sub: clientId, ...(subject.act === undefined ? {} : { act: subject.act }) },
        parent_ids: [subject, ...(actor === undefined ? [] : [actor])].flatMap(
          ({ jti, parent_ids: parentIds = [] }) => [jti, ...parentIds],
        ),
        ...(cnf === undefined ? {} : { cnf }),
      },
      tokenSettings.tokenSeconds ?? serviceTokenSeconds,
      {
        audience,
        claims: membersOf(subject.custom ?? {}),
        notAfter: Math.min(subject.exp, actor?.exp ?? subject.exp),
      },
    );
    if (lifetimeSeconds < 1) throw invalid('subject_token', 'expires within a second');
    return {
      ...{ accessToken: token, tokenType: tokenTypeOf(cnf), expiresIn: lifetimeSeconds, scope },
      issuedTokenType: accessToken,
    };
  }

  return (request, client, cnf) =>
    exchange(request, client, cnf).catch((thrown: unknown) => {
      throw withReason(failureOf(thrown), client.clientId);
    });
}

/** The members of a JSON object, after a comma. May be empty. */
function membersOf(object: object): string {
  const members = JSON.stringify(object).slice(1, -1);
  return members === '' ? '' : `,${members}`;
}

function requireTypes(request: IssueTokenRequest): void {
  const { subjectToken, subjectTokenType, actorToken, actorTokenType } = request;
  if (subjectToken === '') throw invalid('subject_token', 'is required');
  if (subjectTokenType !== accessToken) {
    throw invalid('subject_token_type', `must be ${accessToken}`);
  }
  if (actorToken === '' && actorTokenType !== '') {
    throw invalid('actor_token_type', 'must be unset without actor_token');
  }
  if (actorToken !== '' && actorTokenType !== accessToken) {
    throw invalid('actor_token_type', `must be ${accessToken}`);
  }
  const { requestedTokenType } = request;
  if (requestedTokenType !== '' && requestedTokenType !== accessToken) {
    throw invalid('requested_token_type', `must be ${accessToken}`);
  }
}

function requireMayAct(subject: Claims, { clientId, tokenSettings }: AuthenticatedClient): void {
  const actors = actorsOf(subject);
  if (subject.sub === clientId || actors.includes(clientId)) {
    throw invalid('subject_token', 'must not represent the client or name it as an actor');
  }
  if (actors.length >= actorsMax) {
    throw invalid('subject_token', `must have fewer than ${actorsMax} actors`);
  }
  if (!mayActFor(tokenSettings.mayAct, subject)) {
    throw invalid('subject_token', 'must represent a subject in may_act of the client');
  }
}

function requireOwnToken(actor: Claims, clientId: string, cnf: KeyBinding | undefined): void {
  if (actor.cnf !== undefined && JSON.stringify(actor.cnf) !== JSON.stringify(cnf)) {
    throw invalid('actor_token', 'must not be bound to a key other than that of the request');
  }
  if (actor.act === undefined && actor.principal_type === 'service' && actor.sub === clientId) {
    return;
  }
  throw invalid('actor_token', 'must be a token that the client got for itself');
}

function chooseScopes(
  requested: string,
  granted: ReadonlySet<string>,
  subject: Claims,
  actor: Claims | undefined,
): readonly string[] {
  const actorScopes = actor?.scope.split(' ');
  const held = subject.scope
    .split(' ')
    .filter((scope) => granted.has(scope) && (actorScopes?.includes(scope) ?? true));
  if (requested !== '') {
    const scopes = parseRequestedScopes(requested);
    requireGranted(scopes, new Set(held));
    return scopes;
  }
  if (held.length > 0) return held;
  throw fail(
    'identity.scope_not_granted',
    'The client and the exchanged tokens have no scope in common.',
  );
}

/** Undefined for a subject whose tokens are not limited to accounts. */
function chooseAccounts(
  requested: readonly string[],
  { accounts }: Claims,
): readonly string[] | undefined {
  if (requested.length === 0) return accounts;
  if (accounts === undefined) {
    throw invalid('accounts', 'must be unset unless subject_token represents a customer');
  }
  if (requested.every((id) => accounts.includes(id))) return [...new Set(requested)];
  throw invalid('accounts', 'must be accounts of subject_token');
}

function withReason(failure: Failure, clientId: string): Failure {
  if (failure.status >= 500) return failure;
  const { code, message, extra } = failure;
  return fail(code, message, { ...extra, target: clientId, reason: message.slice(0, reasonMax) });
}

/** In characters. A message may contain a requested scope. */
const reasonMax = 200;
