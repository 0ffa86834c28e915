// Calls methods with the credential of the profile or of the environment.
import {
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  getOption,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { IssuanceService } from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import { access } from '../../../gen/latchkey/options/v1/access_pb.js';
import { CommandError, type CommandHost } from '../base/command.ts';
import { canAsk } from '../base/prompt.ts';
import { errorCodeIn, explain } from './errors.ts';
import { findProfile, type Profile, type ProfileCredential, saveProfile } from './profile.ts';
import { readPassword, refreshSession, signIn } from './sign-in.ts';
import { callUnary, openTransport } from './transport.ts';

export type Remote = {
  readonly profile: Profile;
  readonly transport: Transport;
  call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    /** More headers, such as the Idempotency-Key. */
    headers?: Headers,
  ): Promise<MessageShape<O>>;
  /** Runs a call with the header `Authorization`. Repeats it once after a new sign-in. */
  authorized<T>(method: DescMethod, work: (headers: Headers) => Promise<T>): Promise<T>;
};

type Headers = Readonly<Record<string, string>>;

/** Throws an error if the caller has not signed in and the environment has no credential. */
export async function openRemote(host: CommandHost): Promise<Remote> {
  const profile = await findProfile(host.env);
  if (profile === undefined) {
    throw new CommandError('You are not signed in. Run: latchkey login', undefined, 'access');
  }
  return createRemote(host, profile);
}

function createRemote(host: CommandHost, first: Profile): Remote {
  const { server } = first;
  const transport = openTransport(server);
  let profile = first;
  /** The tokens of a client or customer, by their scope. */
  const tokens = new Map<string, string>();

  async function replaceSession(credential: Profile['credential']): Promise<void> {
    profile = { ...profile, credential };
    await saveProfile(host.env, profile);
  }

  async function authorized<T>(
    method: DescMethod,
    work: (headers: Headers) => Promise<T>,
  ): Promise<T> {
    const { scope } = getOption(method, access);
    const run = async (isFresh: boolean) => {
      const known = isFresh ? undefined : tokens.get(scope);
      const { credential } = profile;
      const options = { scope, isFresh, replaceSession };
      const token = known ?? (await tokenFor(transport, credential, options));
      if (credential.kind !== 'session') tokens.set(scope, token);
      return work({ authorization: `Bearer ${token}` });
    };
    try {
      return await run(false).catch(async (error: unknown) => {
        if (!(await canRepeat(error))) throw error;
        return run(true);
      });
    } catch (error) {
      throw explain(error, server);
    }
  }

  /** Whether a new token or a new sign-in may help. Asks for the password. */
  async function canRepeat(error: unknown): Promise<boolean> {
    const { credential } = profile;
    const code = errorCodeIn(error);
    // The token may have expired between two pages, or its key may have been revoked.
    if (code === 'unauthenticated') return isRenewable(credential);
    if (code !== 'step_up_required' || credential.kind !== 'session' || !canAsk(host)) return false;
    host.stderr.write(`This needs a recent sign-in. Sign in again as ${credential.email}.\n`);
    const answers = await readPassword(host, false);
    const { email, cookies } = credential;
    await replaceSession((await signIn(transport, { email, ...answers }, cookies)).credential);
    return true;
  }

  return {
    get profile() {
      return profile;
    },
    transport,
    authorized,
    call: (method, request, more = {}) =>
      authorized(method, async (headers) => {
        const { message } = await callUnary(transport, method, request, { ...more, ...headers });
        return message;
      }),
  };
}

/** A token with less time left is replaced, so that it does not expire on its way. */
const leftMsMin = 15_000;

type TokenOptions = {
  readonly scope: string;
  /** Whether to get a new token in any case. */
  readonly isFresh: boolean;
  readonly replaceSession: (credential: Profile['credential']) => Promise<void>;
};

/** Returns the bearer credential. A client gets a token with the scope of the method alone. */
async function tokenFor(
  transport: Transport,
  credential: Profile['credential'],
  { scope, isFresh, replaceSession }: TokenOptions,
): Promise<string> {
  switch (credential.kind) {
    case 'token':
      return credential.token;
    case 'client':
      return issueToken(transport, credential, scope);
    case 'api-key':
      return isCustomerKey(credential.apiKey)
        ? exchangeKey(transport, credential.apiKey, scope)
        : credential.apiKey;
    case 'session': {
      const isSpent = credential.expireMs - Date.now() < leftMsMin;
      if (!isFresh && !isSpent) return credential.token;
      const refreshed = await refreshSession(transport, credential);
      await replaceSession(refreshed.credential);
      return refreshed.credential.token;
    }
  }
}

/** Whether the credential gets tokens, instead of being one. */
const isRenewable = (credential: ProfileCredential) =>
  credential.kind === 'session' ||
  credential.kind === 'client' ||
  (credential.kind === 'api-key' && isCustomerKey(credential.apiKey));

export const isCustomerKey = (apiKey: string) => apiKey.startsWith('lk_ck_');

export async function issueToken(
  transport: Transport,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  scope: string,
): Promise<string> {
  const { issueToken: method } = IssuanceService.method;
  const { message } = await callUnary(transport, method, { clientId, clientSecret, scope }, {});
  return message.accessToken;
}

export async function exchangeKey(
  transport: Transport,
  apiKey: string,
  scope: string,
): Promise<string> {
  const { exchangeApiKey: method } = IssuanceService.method;
  return (await callUnary(transport, method, { apiKey, scope }, {})).message.accessToken;
}
