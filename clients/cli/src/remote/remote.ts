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
import { type Access, access } from '../../../../gen/latchkey/options/v1/access_pb.js';
import type { AnyCredentials } from '../../../client/src/credentials.ts';
import { createProver, type Prover } from '../../../client/src/dpop.ts';
import type { AccessToken } from '../../../client/src/token-source.ts';
import { CommandError, type CommandHost } from '../base/command.ts';
import { canAsk } from '../base/prompt.ts';
import { commandLineVariables as variables } from '../variables.ts';
import { signInWithBrowser } from './browser-sign-in.ts';
import { targetOf } from './client-certificate.ts';
import { credentialsOf } from './client-credential.ts';
import { codeOf, explain } from './errors.ts';
import { findProfile, namesCertificate, type Profile, saveSession } from './profile.ts';
import { readPassword, refreshSession, type SessionCredential, signIn } from './sign-in.ts';
import { callUnary, connectTo } from './transport.ts';

export type Remote = {
  readonly profile: Profile;
  call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    /** More headers, such as the Idempotency-Key. */
    headers?: Readonly<Record<string, string>>,
  ): Promise<MessageShape<O>>;
  /** Runs a call of a method. Repeats it once after a new sign-in. */
  authorized<T>(method: DescMethod, work: (transport: Transport) => Promise<T>): Promise<T>;
};

/** Throws an error if the caller has not signed in and the environment has no credential. */
export async function openRemote(host: CommandHost): Promise<Remote> {
  const profile = await findProfile(host.env);
  if (profile === undefined) {
    const way = namesCertificate(host.env)
      ? `Set ${variables.clientId} to the client of the certificate, or run`
      : 'Run';
    throw new CommandError(`You are not signed in. ${way}: latchkey login`, undefined, 'access');
  }
  return createRemote(host, profile);
}

/** A token with less time left is replaced, so that it does not expire on its way. */
const leftMsMin = 15_000;

export function createRemote(host: CommandHost, first: Profile): Remote {
  const { server } = first;
  const target = targetOf(host, first);
  let profile = first;
  /** The profile as its file has it. */
  let stored = first;
  /** Tokens that were given to the transport, which asks again if the server refuses one. */
  const used = new Set<string>();
  /** By the scope of their tokens. */
  const transports = new Map<string, Transport>();
  /** Binds the tokens of a client that gets no others. */
  let prover: Prover | undefined;

  async function replaceSession(credential: SessionCredential): Promise<void> {
    profile = { ...profile, credential };
    transports.clear();
    if (await saveSession(host, stored, credential)) stored = profile;
  }

  async function sessionToken(credential: SessionCredential): Promise<AccessToken> {
    let { token, expireMs } = credential;
    if (used.has(token) || expireMs - Date.now() < leftMsMin) {
      const refreshed = await refreshSession(connectTo(target), credential);
      await replaceSession(refreshed.credential);
      ({ token, expireMs } = refreshed.credential);
    }
    used.add(token);
    return { accessToken: token, expiresInSeconds: (expireMs - Date.now()) / 1000 };
  }

  async function credentialsFor({ scope }: Access): Promise<AnyCredentials> {
    const { credential } = profile;
    switch (credential.kind) {
      case 'token':
        return { token: () => credential.token };
      case 'client':
      case 'client-key':
      case 'assertion':
      case 'certificate': {
        if (scope !== '') return credentialsOf(credential, scope);
        throw new CommandError('Only users can do this', undefined, 'access');
      }
      case 'api-key':
        return { apiKey: credential.apiKey, scope };
      case 'session':
        return {
          token: () => {
            const { credential: now } = profile;
            return sessionToken(now.kind === 'session' ? now : credential);
          },
        };
    }
  }

  /** The token of a client or customer has the scope of the method alone. */
  async function transportFor(method: DescMethod): Promise<Transport> {
    const rule = getOption(method, access);
    const { credential } = profile;
    const key = 'clientId' in credential || 'apiKey' in credential ? rule.scope : '';
    const known = transports.get(key);
    if (known !== undefined) return known;
    const transport = connectTo(target, await credentialsFor(rule), prover);
    transports.set(key, transport);
    return transport;
  }

  async function authorized<T>(
    method: DescMethod,
    work: (transport: Transport) => Promise<T>,
  ): Promise<T> {
    const attempt = async () => work(await transportFor(method));
    try {
      return await attempt().catch(async (error: unknown) => {
        if (!(await removeCause(codeOf(error)))) throw error;
        return attempt();
      });
    } catch (error) {
      throw explain(error, server, loginCommand());
    }
  }

  /** Returns whether another attempt makes sense after an error with this code. */
  async function removeCause(code: string | undefined): Promise<boolean> {
    if (code === 'step_up_required') return signInAgain();
    if (code !== 'identity.invalid_dpop_proof' || prover !== undefined) return false;
    prover = createProver(true, server);
    transports.clear();
    return true;
  }

  function loginCommand(): string {
    const { credential } = profile;
    const usesBrowser = credential.kind === 'session' && credential.usesBrowser === true;
    return usesBrowser ? 'latchkey login --browser' : 'latchkey login';
  }

  /** Asks for the password, or for an approval in the browser. Returns false without a terminal. */
  async function signInAgain(): Promise<boolean> {
    const { credential } = profile;
    if (credential.kind !== 'session' || !canAsk(host)) return false;
    const { email, cookies, usesBrowser } = credential;
    host.stderr.write(`This needs a recent sign-in. Sign in again as ${email}.\n`);
    const transport = connectTo(target);
    const signedIn = usesBrowser
      ? await signInWithBrowser(host, transport, cookies)
      : await signIn(transport, { email, ...(await readPassword(host, false)) }, cookies);
    const { email: current } = signedIn.credential;
    if (usesBrowser && current !== email) {
      throw new CommandError(
        `The sign-in was approved by ${current}, not by ${email}. Run: latchkey login --browser`,
        undefined,
        'access',
      );
    }
    await replaceSession(signedIn.credential);
    return true;
  }

  return {
    get profile() {
      return profile;
    },
    authorized,
    call: (method, request, headers) =>
      authorized(method, async (transport) => {
        const { message } = await callUnary(transport, method, request, headers);
        return message;
      }),
  };
}

export const isCustomerKey = (apiKey: string) => apiKey.startsWith('lk_ck_');
