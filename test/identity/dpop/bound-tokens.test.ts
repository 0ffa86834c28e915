// Clients whose tokens are always bound to a key, over gRPC.
import { createHash, X509Certificate } from 'node:crypto';
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { AuditService } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { IssuanceService } from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import { OAuthService } from '../../../gen/latchkey/identity/v1/oauth_pb.js';
import { VerificationService } from '../../../gen/latchkey/identity/v1/verification_pb.js';
import { createAuthority, type KeyPair } from '../../support/certificates.ts';
import { digestOf } from '../../support/dpop.ts';
import { codeOf, messageOf, useManager } from '../../support/manager-calls.ts';
import { openTlsGrpc, startTlsApp } from '../../support/tls-app.ts';
import { useStarted } from '../../support/use-started.ts';

const workloads = createAuthority('Workloads');
const uri = 'spiffe://example.org/bound';
const scope = 'audit:read';
const { issueToken } = IssuanceService.method;

describe('a client with bound tokens', () => {
  const test = useStarted(() => startTlsApp({ clientAuthority: workloads }));
  const manager = useManager(test, 'clients:write tokens:read audit:read');
  let client: { readonly clientId: string; readonly clientSecret: string };
  beforeAll(async () => {
    const fields = { name: 'Bound', scopes: [scope], boundTokens: true, tlsClientAuthSanUri: uri };
    const made = messageOf(await open().call(ClientService.method.createClient, fields, manager));
    client = { clientId: made.client?.id ?? '', clientSecret: made.clientSecret };
  });

  const open = (pair?: KeyPair) => openTlsGrpc(test, pair);

  it('gets only tokens that are bound to its certificate or to a proof', async () => {
    const [own, other] = [
      workloads.issue({ uri: [uri] }),
      workloads.issue({ uri: ['spiffe://o'] }),
    ];
    const transports = [open(), open(own), open(other)] as const;
    onTestFinished(() => {
      for (const one of transports) one.close();
    });
    const [plain, bound, stranger] = transports;
    expect(codeOf(await plain.call(issueToken, { ...client, scope }))).toBe(
      'identity.invalid_dpop_proof',
    );
    const { accessToken: token, tokenType } = messageOf(await bound.call(issueToken, { scope }));
    expect(tokenType).toBe('Bearer');
    const der = new X509Certificate(own.certificate).raw;
    const sha256 = createHash('sha256').update(der).digest('base64url');
    const cnf = { 'x5t#S256': sha256 };
    expect(decodeJwt(token).cnf).toEqual(cnf);

    const authorization = `Bearer ${token}`;
    const use = async (transport: typeof plain) =>
      codeOf(await transport.call(AuditService.method.listAuditEvents, {}, { authorization }));
    expect(await use(bound)).toBe('ok');
    expect(await use(plain)).toBe('unauthenticated');
    expect(await use(stranger)).toBe('unauthenticated');
    const verify = async (certificateSha256: string) =>
      messageOf(
        await plain.call(
          VerificationService.method.verifyToken,
          { token, certificateSha256 },
          manager,
        ),
      );
    expect(await verify(sha256)).toMatchObject({ active: true, cnf });
    expect(await verify('')).toMatchObject({ active: false });
    expect(await verify(digestOf('other'))).toMatchObject({ active: false });
    const { introspect } = OAuthService.method;
    expect(messageOf(await plain.call(introspect, { token, ...client }))).toMatchObject({
      ...{ active: true, tokenType: 'Bearer', cnf },
    });
  });
});
