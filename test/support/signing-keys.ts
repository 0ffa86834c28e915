// The signing keys of an app, as callers and verifiers see them.
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { beforeEach, expect } from 'vitest';
import {
  type SigningKey,
  SigningKeyService,
  SigningKeyState,
} from '../../gen/latchkey/identity/v1/signing_key_pb.js';
import type { App } from '../../src/boot/app.ts';
import type { Suite } from './app-suite.ts';
import type { TransportName } from './matrix.ts';
import { signToken } from './signed-tokens.ts';
import type { Transport, TransportAnswer } from './transports.ts';

const { listSigningKeys, createSigningKey, activateSigningKey, revokeSigningKey } =
  SigningKeyService.method;

/** Manages keys through a transport, as a service with every scope. */
export function keyManager(app: () => App, transport: () => Transport) {
  const credential = async () => {
    const scope = 'signing_keys:read signing_keys:write';
    return { authorization: `Bearer ${await signToken(app(), { type: 'service', scope })}` };
  };
  return {
    create: async () =>
      signingKeyOf(await transport().call(createSigningKey, {}, await credential())),
    activate: async (kid: string, force = false) =>
      transport().call(activateSigningKey, { kid, force }, await credential()),
    revoke: async (kid: string) => transport().call(revokeSigningKey, { kid }, await credential()),
    async list() {
      const answer = await transport().call(listSigningKeys, { pageSize: 200 }, await credential());
      if (!answer.ok) throw new Error(`the call failed: ${answer.error.code}`);
      return answer.message.signingKeys;
    },
    async find(kid: string): Promise<SigningKey> {
      const key = (await this.list()).find((one) => one.kid === kid);
      if (key === undefined) throw new Error(`key ${kid} not found`);
      return key;
    },
    async active(): Promise<SigningKey> {
      const active = (await this.list()).filter(
        ({ alg, state }) => alg === 'EdDSA' && state === SigningKeyState.ACTIVE,
      );
      const [key] = active;
      if (key === undefined || active.length > 1)
        throw new Error(`expected one active key, found ${active.length}`);
      return key;
    },
  };
}

export type KeyAnswer = TransportAnswer<{ readonly signingKey?: SigningKey | undefined }>;

/** The key in an answer; throws for an error. */
export function signingKeyOf(answer: KeyAnswer): SigningKey {
  if (!answer.ok) throw new Error(`the call failed: ${answer.error.code}: ${answer.error.message}`);
  const { signingKey } = answer.message;
  if (signingKey === undefined) throw new Error('the answer has no key');
  return signingKey;
}

async function jwksOf(origin: string): Promise<JSONWebKeySet> {
  const response = await fetch(`${origin}/.well-known/jwks.json`);
  return (await response.json()) as JSONWebKeySet;
}

export async function publishedKids(origin: string): Promise<(string | undefined)[]> {
  return (await jwksOf(origin)).keys.map(({ kid }) => kid);
}

/** Starts an app with a stopped clock. Each test begins with a single key. */
export function oneKeyEachTime(suite: Suite) {
  const published = () => publishedKids(suite.app.publicUrl);
  const freeze = () => suite.clock.frozen ?? 0;
  const advance = (seconds: number) => {
    suite.clock.frozen = freeze() + Math.round(seconds * 1000);
  };
  const manager = (transport: TransportName) =>
    keyManager(
      () => suite.app,
      () => suite.transport(transport),
    );
  beforeEach(async () => {
    suite.clock.frozen = Math.ceil((suite.clock.frozen ?? Date.now()) / 1000) * 1000;
    const keys = manager('grpc');
    for (const { kid, state } of await keys.list()) {
      if (state === SigningKeyState.PENDING) signingKeyOf(await keys.revoke(kid));
    }
    // By then the keys that the previous test retired are removed.
    advance(311);
    expect(await published()).toHaveLength(1);
  });
  return { published, freeze, advance, manager };
}

/** The times of a key, in milliseconds since 1970. */
export function timesOf(key: SigningKey) {
  const { createTime, readyTime, activateTime, retireTime, removeTime, revokeTime } = key;
  const times = {
    create: createTime,
    ready: readyTime,
    activate: activateTime,
    retire: retireTime,
    remove: removeTime,
    revoke: revokeTime,
  };
  const given = Object.entries(times).flatMap(([name, time]) =>
    time === undefined ? [] : [[name, timestampMs(time)]],
  );
  return Object.fromEntries(given) as Partial<Record<keyof typeof times, number>>;
}

/** Returns the `kid` of a token that the app has just signed. */
export async function signingKid(app: App): Promise<string | undefined> {
  const token = await signToken(app, { type: 'service', scope: 'accounts:read' });
  return decodeProtectedHeader(token).kid;
}
