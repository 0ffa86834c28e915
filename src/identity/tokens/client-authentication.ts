// Authenticates the client of an OAuth request: by its secret, by an assertion (RFC 7523), or by
// the certificate of its connection (RFC 8705 §2.1).

import { parseStoredScopes } from '../../api/access/scopes.ts';
import type { Call, ClientCertificate } from '../../api/call.ts';
import { isForeignClientId, isId } from '../../base/crypto/ids.ts';
import { type Failure, fail, invalid } from '../../base/errors/errors.ts';
import type { CredentialDirectory } from '../../credentials/directory.ts';
import {
  createImportedSecrets,
  type ImportedSecrets,
  type ImportedSecretsOptions,
} from '../../credentials/imported/secrets.ts';
import { type TokenSettings, tokenSettingsOf } from '../../credentials/token-settings.ts';
import type { ClientRow } from '../../storage/schema/schema.ts';
import type { CertificateNames } from '../clients/store.ts';
import { refuseAssertion } from './assertion.ts';

export type AuthenticatedClient = {
  readonly clientId: string;
  /** The secret, the key or the federated identity. Unset for a certificate. */
  readonly credentialId?: string;
  readonly scopes: ReadonlySet<string>;
  readonly tokenSettings: TokenSettings;
};

/** The only type of an assertion (RFC 7523 §2.2). */
const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** `clientId` is that of the request, or empty. Throws `identity.credential_invalid`. */
export type VerifyAssertion = (assertion: string, clientId: string) => Promise<AuthenticatedClient>;

export type ClientAuthenticationOptions = ImportedSecretsOptions & {
  readonly directory: CredentialDirectory;
  readonly findClient: (id: string) => Promise<ClientRow | undefined>;
  readonly findClientsByNames: (names: CertificateNames) => Promise<ClientRow[]>;
  readonly verifyAssertion: VerifyAssertion;
};

type Checks = ClientAuthenticationOptions & { readonly importedSecrets: ImportedSecrets };

/** The fields of a request that authenticate its client. */
export type PresentedClient = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clientAssertionType: string;
  readonly clientAssertion: string;
};

/**
 * Returns the client that a request authenticates. Throws `identity.credential_invalid`, or
 * `invalid_argument` without any credential.
 */
export type AuthenticateClient = (
  presented: PresentedClient,
  call: Call,
) => Promise<AuthenticatedClient>;

export function createClientAuthentication(
  options: ClientAuthenticationOptions,
): AuthenticateClient {
  const checks = { ...options, importedSecrets: createImportedSecrets(options) };
  return async (presented, call) => {
    if (presented.clientAssertion !== '' || presented.clientAssertionType !== '') {
      return byAssertion(checks, call, presented);
    }
    if (presented.clientSecret !== '') return bySecret(checks, call, presented);
    const certificate = call.clientCertificate();
    if (certificate === undefined) throw missing(presented);
    return byCertificate(checks, certificate, presented.clientId);
  };
}

async function bySecret(
  checks: Checks,
  call: Call,
  presented: PresentedClient,
): Promise<AuthenticatedClient> {
  const { directory, importedSecrets } = checks;
  const { clientId, clientSecret } = presented;
  if (clientId === '') throw missing(presented);
  const secret =
    (await directory.authenticate('cs', clientSecret, { ownerId: clientId })) ??
    (await importedSecrets.authenticate(clientId, clientSecret, call.peer));
  if (secret === undefined) {
    const target = await recordedId(checks, clientId);
    throw refuse('The client id or the secret is wrong.', target);
  }
  await refuseOtherCertificate(checks, call, clientId, 'secret');
  const { id: credentialId, scopes, tokenSettings } = secret;
  return { clientId, credentialId, scopes, tokenSettings };
}

/** A valid certificate must not authenticate another client than the credential does. */
async function refuseOtherCertificate(
  { findClientsByNames, now }: Checks,
  call: Call,
  clientId: string,
  credential: 'secret' | 'assertion',
): Promise<void> {
  const certificate = call.clientCertificate();
  if (certificate === undefined || problemOf(certificate, now()) !== undefined) return;
  const found = await findClientsByNames(certificate);
  if (found.every(({ id }) => id === clientId)) return;
  throw refuse(`The certificate belongs to another client than the ${credential}.`, clientId);
}

/** People put secrets into wrong fields: the audit log records only ids. */
async function recordedId({ findClient }: Checks, clientId: string): Promise<string> {
  if (isId('cli', clientId)) return clientId;
  return isForeignClientId(clientId) && (await findClient(clientId)) ? clientId : '';
}

async function byAssertion(
  checks: Checks,
  call: Call,
  { clientId, clientSecret, clientAssertionType, clientAssertion }: PresentedClient,
): Promise<AuthenticatedClient> {
  if (clientSecret !== '') {
    throw invalid('client_secret', 'must not be set together with client_assertion');
  }
  if (clientAssertionType !== jwtBearer) {
    throw invalid('client_assertion_type', `must be ${jwtBearer}`);
  }
  if (clientAssertion === '') throw invalid('client_assertion', 'is required');
  const client = await checks.verifyAssertion(clientAssertion, clientId);
  if (clientId !== '' && clientId !== client.clientId) {
    throw refuseAssertion(
      'The assertion belongs to another client than the client id.',
      client.clientId,
      true,
    );
  }
  await refuseOtherCertificate(checks, call, client.clientId, 'assertion');
  return client;
}

async function byCertificate(
  { findClientsByNames, now }: Checks,
  certificate: ClientCertificate,
  clientId: string,
): Promise<AuthenticatedClient> {
  const { uris, dnsNames } = certificate;
  const problem = problemOf(certificate, now());
  // Names of an untrusted certificate are not recorded, because anybody can choose them.
  if (problem !== undefined) throw refuse(problem);
  // With its type, so that it is not taken for the id of a resource.
  const name = uris[0] === undefined ? `DNS:${dnsNames[0]}` : `URI:${uris[0]}`;
  const found = await findClientsByNames(certificate);
  if (found.length > 1) {
    throw refuse('The names of the certificate belong to more than one client.', name);
  }
  const [client] = found;
  if (client === undefined || client.disable_time !== null) {
    throw refuse('No enabled client has a name of the certificate.', name);
  }
  if (clientId !== '' && clientId !== client.id) {
    throw refuse('The certificate belongs to another client than the client id.', name);
  }
  return {
    clientId: client.id,
    scopes: parseStoredScopes(client.scopes),
    tokenSettings: tokenSettingsOf(client),
  };
}

function problemOf(
  { isTrusted, startTime, expireTime, uris, dnsNames }: ClientCertificate,
  now: number,
): string | undefined {
  if (expireTime <= now) return 'The client certificate has expired.';
  if (startTime > now) return 'The client certificate is not valid yet.';
  if (!isTrusted) return 'The client certificate was not issued by a trusted CA.';
  if (uris.length + dnsNames.length === 0) {
    return 'The client certificate has no URI or DNS name (subjectAltName).';
  }
  return undefined;
}

const refuse = (detail: string, target = '') =>
  fail('identity.credential_invalid', detail, { target });

function missing({ clientId, clientSecret }: PresentedClient): Failure {
  const names = [
    ...(clientId === '' ? ['client_id'] : []),
    ...(clientSecret === '' ? ['client_secret'] : []),
  ];
  const detail = 'is required without a client certificate';
  const fields = names.map((field) => ({ field, detail }));
  return fail('invalid_argument', `${names.join(', ')}: ${detail}`, { fields });
}
