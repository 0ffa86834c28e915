// Adds passkeys through the service, and writes them into the database.
import { randomBytes } from 'node:crypto';
import { PasskeyService } from '../../gen/latchkey/identity/v1/passkey_pb.js';
import { newId } from '../../src/base/crypto/ids.ts';
import { insertPasskey } from '../../src/identity/passkeys/store.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { messageOf } from './manager-calls.ts';
import { changeAsOtherProcess } from './owner-rows.ts';
import { type PasskeySettings, SoftwarePasskey } from './software-passkey.ts';
import type { Credential, Transport } from './transports.ts';

const { startPasskeyRegistration, createPasskey } = PasskeyService.method;

/** Starts a registration, and returns the fields of a valid CreatePasskey call. */
export async function newPasskey(
  transport: Transport,
  origin: string,
  own: Credential,
  settings: PasskeySettings = {},
) {
  const started = await transport.call(startPasskeyRegistration, { userId: 'me' }, own);
  const { options } = messageOf(started);
  const passkey = new SoftwarePasskey(origin, settings);
  return {
    passkey,
    request: { userId: 'me', name: 'Laptop', credential: passkey.create(options) },
  };
}

/** Adds a passkey to the caller. */
export async function addedPasskey(
  transport: Transport,
  origin: string,
  own: Credential,
  settings: PasskeySettings = {},
) {
  const { passkey, request } = await newPasskey(transport, origin, own, settings);
  const answer = messageOf(await transport.call(createPasskey, request, own));
  return { passkey, id: answer.passkey?.id ?? '' };
}

/** Writes a passkey that no one can use. Returns its id. */
export async function addPasskeyRow(db: Database, userId: string): Promise<string> {
  const id = newId('pky', randomBytes);
  const row = {
    ...{ id, user_id: userId, credential_id: id, public_key: '', counter: 0, transports: '' },
    ...{ synced: 0 as const, name: 'Laptop', create_time: Date.now(), last_used_time: null },
  };
  await changeAsOtherProcess(db, (trx) => insertPasskey(trx, row));
  return id;
}
