// `whoami`, and the check of a credential.
import { DocumentService } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { secretFieldsOf } from '../../../client/src/credentials.ts';
import type { CommandHost, Input } from '../base/command.ts';
import { type Data, wantsJson, writeJson, writeObject } from '../base/print.ts';
import { targetOf } from './client-certificate.ts';
import { credentialsOf } from './client-credential.ts';
import { codeOf, explain } from './errors.ts';
import { type Profile, type ProfileCredential, saveSession } from './profile.ts';
import { isCustomerKey, openRemote } from './remote.ts';
import { refreshSession } from './sign-in.ts';
import { callUnary, connectIssuance, connectTo } from './transport.ts';

export async function runWhoami(input: Input, host: CommandHost): Promise<number> {
  const { profile } = await openRemote(host);
  const identity = await identify(host, profile);
  if (wantsJson(input)) await writeJson(host, identity);
  else await writeObject(host, identity);
  return 0;
}

/** Describes the credential. Throws if the server rejects it. */
export async function identify(host: CommandHost, profile: Profile): Promise<Data> {
  const { server, workspaceId, credential, certificate } = profile;
  const own = {
    server,
    ...(workspaceId === undefined ? {} : { workspace_id: workspaceId }),
    ...(certificate === undefined ? {} : { certificate_file: certificate.file }),
  };
  try {
    return { ...own, ...(await check(host, profile, credential)) };
  } catch (error) {
    throw explain(error, server);
  }
}

async function check(
  host: CommandHost,
  profile: Profile,
  credential: ProfileCredential,
): Promise<Data> {
  const target = targetOf(host, profile);
  const transport = connectTo(target);
  switch (credential.kind) {
    case 'session': {
      const { user, scope, credential: refreshed } = await refreshSession(transport, credential);
      await saveSession(host, profile, refreshed);
      return { kind: user?.kind, user_id: user?.id, email: user?.email, name: user?.name, scope };
    }
    case 'client':
    case 'client-key':
    case 'assertion':
    case 'certificate': {
      // The server checks the client first, so any scope proves the credential.
      const credentials = await credentialsOf(credential, 'tokens:read');
      const request = { ...secretFieldsOf(credentials), scope: credentials.scope };
      const { issuance } = connectIssuance(target, credentials);
      const proving = ['identity.scope_not_granted', 'identity.invalid_dpop_proof'];
      await issuance.issueToken(request).catch(ignoreCodes(proving));
      return { kind: 'client', client_id: credential.clientId };
    }
    case 'api-key': {
      const { apiKey } = credential;
      if (isCustomerKey(apiKey)) {
        await connectIssuance(target, { apiKey }).issuance.exchangeApiKey({ apiKey });
        return { kind: 'customer', api_key: nameOf(apiKey) };
      }
      const headers = { authorization: `Bearer ${apiKey}` };
      const method = DocumentService.method.listDocuments;
      await callUnary(transport, method, { pageSize: 1 }, headers).catch(
        ignoreCodes(['forbidden']),
      );
      return { kind: 'workspace', api_key: nameOf(apiKey) };
    }
    case 'token':
      return { kind: 'token' };
  }
}

/** Accepts refusals that prove the credential. */
const ignoreCodes = (codes: readonly string[]) => (error: unknown) => {
  if (!codes.includes(codeOf(error) ?? '')) throw error;
};

/** The part of a key that is not secret. */
const nameOf = (apiKey: string) => `${apiKey.split('_').slice(0, 3).join('_')}_…`;

export function describeCredential(credential: ProfileCredential): string {
  switch (credential.kind) {
    case 'session':
      return credential.email;
    case 'client':
    case 'client-key':
    case 'assertion':
    case 'certificate':
      return credential.clientId;
    case 'api-key':
      return nameOf(credential.apiKey);
    case 'token':
      return 'the owner of a token';
  }
}
