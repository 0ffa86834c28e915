// `token`, `verify` and `revoke`.
import { type JsonObject, toJson } from '@bufbuild/protobuf';
import { IssuanceService } from '../../../../gen/latchkey/identity/v1/issuance_pb.js';
import {
  VerificationService,
  VerifyTokenResponseSchema,
} from '../../../../gen/latchkey/identity/v1/verification_pb.js';
import {
  CommandError,
  type CommandHost,
  type Input,
  textOption,
  UsageError,
} from '../base/command.ts';
import { wantsJson, write, writeJson, writeObject } from '../base/print.ts';
import { canAsk, readLines } from '../base/prompt.ts';
import { cleanText } from '../base/text.ts';
import { clientFieldsOf } from './client-credential.ts';
import { explain } from './errors.ts';
import { saveProfile } from './profile.ts';
import { isCustomerKey, openRemote, type Remote } from './remote.ts';
import { jsonOf } from './response.ts';
import { refreshSession } from './sign-in.ts';
import { callUnary, connectTo } from './transport.ts';

export async function runToken(input: Input, host: CommandHost): Promise<number> {
  const remote = await openRemote(host);
  const scopes = input.options.scope;
  const scope = Array.isArray(scopes) ? scopes.join(' ') : '';
  const resource = textOption(input, 'resource') ?? '';
  const issued = await issue(remote, { scope, resource }, host).catch((error: unknown) => {
    throw explain(error, remote.profile.server);
  });
  if (wantsJson(input)) await writeJson(host, issued);
  else await write(host, `${cleanText(issued.access_token)}\n`);
  return 0;
}

/** The credential of a request over HTTP. Issues a token, unless the caller has another one. */
export async function bearerOf(remote: Remote, scope: string, host: CommandHost): Promise<string> {
  const { credential } = remote.profile;
  if (credential.kind === 'token') return credential.token;
  if (credential.kind === 'api-key' && !isCustomerKey(credential.apiKey)) return credential.apiKey;
  return (await issue(remote, { scope, resource: '' }, host)).access_token;
}

type Issued = {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
};

type Wanted = { readonly scope: string; readonly resource: string };

async function issue(
  { profile }: Remote,
  { scope, resource }: Wanted,
  host: CommandHost,
): Promise<Issued> {
  const { credential } = profile;
  const transport = connectTo(profile.server);
  switch (credential.kind) {
    case 'client':
    case 'assertion': {
      const method = IssuanceService.method.issueToken;
      const request = { ...(await clientFieldsOf(credential)), scope, resource };
      return issuedOf((await callUnary(transport, method, request)).message);
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
      const method = IssuanceService.method.exchangeApiKey;
      return issuedOf((await callUnary(transport, method, { apiKey, scope, resource })).message);
    }
    case 'session': {
      if (scope !== '')
        throw new UsageError('The token of a user always has all scopes of the user.');
      if (resource !== '')
        throw new UsageError('The token of a user is always for the audience of the service.');
      const signedIn = await refreshSession(transport, credential);
      await saveProfile(host.env, { ...profile, credential: signedIn.credential });
      const { token, expireMs } = signedIn.credential;
      const expiresIn = Math.round((expireMs - Date.now()) / 1000);
      return issuedOf({ accessToken: token, expiresIn, scope: signedIn.scope });
    }
    case 'token':
      throw new UsageError('LATCHKEY_TOKEN is already a token.');
  }
}

type IssuedMessage = { accessToken: string; expiresIn: number; scope: string };

const issuedOf = ({ accessToken, expiresIn, scope }: IssuedMessage): Issued => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: expiresIn,
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
  const answer = await remote.call(VerificationService.method.verifyToken, {
    token,
    scope: textOption(input, 'scope') ?? '',
    accountId: textOption(input, 'account') ?? '',
    expectedAudience: textOption(input, 'audience') ?? '',
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
