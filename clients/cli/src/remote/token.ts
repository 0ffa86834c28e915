// `token`, `verify` and `revoke`.
import { type JsonObject, toJson } from '@bufbuild/protobuf';
import {
  VerificationService,
  VerifyTokenResponseSchema,
} from '../../../../gen/latchkey/identity/v1/verification_pb.js';
import { issuedToken, secretFieldsOf } from '../../../client/src/credentials.ts';
import { createProver, type Prover, presentToken } from '../../../client/src/dpop.ts';
import type { ExchangedToken, TokenExchange } from '../../../client/src/exchange.ts';
import {
  CommandError,
  type CommandHost,
  type Input,
  textOption,
  UsageError,
} from '../base/command.ts';
import { wantsJson, writeJson, writeLine, writeObject } from '../base/print.ts';
import { canAsk, readLines } from '../base/prompt.ts';
import { targetOf } from './client-certificate.ts';
import { credentialsOf, readPrivateKey, readTokenFile } from './client-credential.ts';
import { codeOf, explain } from './errors.ts';
import { saveSession } from './profile.ts';
import { isCustomerKey, openRemote, type Remote } from './remote.ts';
import { jsonOf } from './response.ts';
import { refreshSession } from './sign-in.ts';
import { connectIssuance, connectTo } from './transport.ts';

const listOption = ({ options }: Input, name: string): string[] =>
  [options[name] ?? []].flat() as string[];

export async function runToken(input: Input, host: CommandHost): Promise<number> {
  const remote = await openRemote(host);
  const { server } = remote.profile;
  const keyFile = textOption(input, 'dpop');
  const wanted: Wanted = {
    scope: listOption(input, 'scope').join(' '),
    resource: textOption(input, 'resource') ?? '',
    exchange: await readExchange(input),
    prover: keyFile === undefined ? undefined : createProver(await readPrivateKey(keyFile), server),
  };
  const issued = await issue(remote, wanted, host).catch((error: unknown) => {
    throw explain(error, server);
  });
  if (wantsJson(input)) await writeJson(host, issued);
  else await writeLine(host, issued.access_token);
  return 0;
}

type Exchange = Pick<TokenExchange, 'subjectToken' | 'actorToken' | 'accounts'>;

async function readExchange(input: Input): Promise<Exchange | undefined> {
  const read = (name: string) => {
    const file = textOption(input, name);
    return file === undefined ? undefined : readTokenFile(file, `--${name}`);
  };
  const subjectToken = await read('subject-token-file');
  const actorToken = await read('actor-token-file');
  const accounts = listOption(input, 'account');
  if (subjectToken !== undefined) {
    return { subjectToken, accounts, ...(actorToken === undefined ? {} : { actorToken }) };
  }
  if (actorToken === undefined && accounts.length === 0) return undefined;
  throw new UsageError('--actor-token-file and --account need --subject-token-file.');
}

type ProvenRequest = { readonly method: string; readonly url: string };

/**
 * The headers with the credential of a request over HTTP. Issues a token, unless the caller has
 * another one. Binds it to a new key if the client gets no other tokens.
 */
export async function authorizationOf(
  remote: Remote,
  scope: string,
  request: ProvenRequest,
  host: CommandHost,
): Promise<Record<string, string>> {
  const { credential, server } = remote.profile;
  const wanted = { scope, resource: '' };
  const present = async (token: string, prover?: Prover) =>
    presentToken(prover, { ...request, token });
  if (credential.kind === 'token') return present(credential.token);
  if (credential.kind === 'api-key' && !isCustomerKey(credential.apiKey)) {
    return present(credential.apiKey);
  }
  try {
    return await present((await issue(remote, wanted, host)).access_token);
  } catch (error) {
    if (codeOf(error) !== 'identity.invalid_dpop_proof') throw error;
    const prover = createProver(true, server);
    return present((await issue(remote, { ...wanted, prover }, host)).access_token, prover);
  }
}

type Issued = {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
};

type Wanted = {
  readonly scope: string;
  readonly resource: string;
  readonly exchange?: Exchange | undefined;
  readonly prover?: Prover | undefined;
};

async function issue(
  { profile }: Remote,
  { scope, resource, exchange, prover }: Wanted,
  host: CommandHost,
): Promise<Issued> {
  const { credential } = profile;
  const target = targetOf(host, profile);
  if (exchange !== undefined && !('clientId' in credential)) {
    throw new UsageError('Only a service client can exchange tokens.');
  }
  switch (credential.kind) {
    case 'client':
    case 'client-key':
    case 'assertion':
    case 'certificate': {
      const credentials = await credentialsOf(credential, scope);
      const { issuance, exchangeToken } = connectIssuance(target, credentials, prover);
      if (exchange !== undefined)
        return issuedOf(await exchangeToken({ ...exchange, scope, resource }));
      const answer = await issuance.issueToken({ ...secretFieldsOf(credentials), scope, resource });
      return issuedOf({ ...answer, ...issuedToken(answer, prover) });
    }
    case 'api-key': {
      const { apiKey } = credential;
      if (!isCustomerKey(apiKey)) {
        throw new CommandError(
          'The API key of a workspace is the bearer credential itself',
          undefined,
          'usage',
        );
      }
      const { issuance } = connectIssuance(target, { apiKey }, prover);
      const answer = await issuance.exchangeApiKey({ apiKey, scope, resource });
      return issuedOf({ ...answer, ...issuedToken(answer, prover) });
    }
    case 'session': {
      if (scope !== '')
        throw new UsageError('The token of a user always has all scopes of the user.');
      if (resource !== '')
        throw new UsageError('The token of a user is always for the audience of the service.');
      if (prover !== undefined) throw new UsageError('The token of a user is not bound to a key.');
      const signedIn = await refreshSession(connectTo(target), credential);
      await saveSession(host, profile, signedIn.credential);
      const { token, expireMs } = signedIn.credential;
      const expiresInSeconds = Math.round((expireMs - Date.now()) / 1000);
      return issuedOf({ ...signedIn, accessToken: token, expiresInSeconds });
    }
    case 'token':
      throw new UsageError('LATCHKEY_TOKEN is already a token.');
  }
}

const issuedOf = ({ accessToken, tokenType, expiresInSeconds, scope }: ExchangedToken): Issued => ({
  access_token: accessToken,
  token_type: tokenType,
  expires_in: expiresInSeconds,
  scope,
});

/** A token in an argument could be seen in the list of processes. */
async function readToken({ args }: Input, host: CommandHost): Promise<string> {
  if (args['-'] !== undefined && args['-'] !== '-') {
    throw new UsageError('Write the token to the standard input, not into an argument.');
  }
  if (canAsk(host)) host.stderr.write('Paste the token, then press Enter and Ctrl-D:\n');
  const lines = (await readLines(host)).map((line) => line.trim());
  const token = lines.find((line) => line !== '') ?? '';
  if (token === '') throw new UsageError('The standard input has no token.');
  return token;
}

export async function runVerify(input: Input, host: CommandHost): Promise<number> {
  const remote = await openRemote(host);
  const token = await readToken(input, host);
  const text = (name: string) => textOption(input, name) ?? '';
  const proofFile = textOption(input, 'dpop-proof-file');
  const name = '--dpop-proof-file';
  const answer = await remote.call(VerificationService.method.verifyToken, {
    ...{ token, scope: text('scope'), accountId: text('account') },
    ...{ expectedAudience: text('audience'), certificateSha256: text('certificate-sha256') },
    ...{ httpMethod: text('http-method'), httpUrl: text('http-url') },
    dpopProof: proofFile === undefined ? '' : await readTokenFile(proofFile, name),
  });
  const { active } = answer;
  // Like the HTTP API, without the values of a token that is not active.
  const json = active
    ? jsonOf(VerifyTokenResponseSchema, answer)
    : { active, ...(toJson(VerifyTokenResponseSchema, answer) as JsonObject) };
  if (wantsJson(input)) await writeJson(host, json);
  else await writeObject(host, json);
  return active && answer.allowed ? 0 : 1;
}

export async function runRevoke(input: Input, host: CommandHost): Promise<number> {
  const remote = await openRemote(host);
  const tokenId = textOption(input, 'token-id') ?? '';
  if (tokenId !== '' && input.args['-'] !== undefined) {
    throw new UsageError('Give either a token or --token-id.');
  }
  const token = tokenId === '' ? await readToken(input, host) : '';
  await remote.call(VerificationService.method.revokeToken, { token, tokenId });
  host.stderr.write('Done.\n');
  return 0;
}
