// Writes users and their sessions into the database, as another process would.
import { createHmac, randomBytes } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { TOTP } from 'otpauth';
import { neverDisabled } from '../../src/api/deletion.ts';
import { newId } from '../../src/base/crypto/ids.ts';
import { createMasterKey } from '../../src/base/crypto/master-key.ts';
import { readMasterKeyFile } from '../../src/base/crypto/master-key-file.ts';
import { createSession } from '../../src/identity/sessions/session.ts';
import { insertSession } from '../../src/identity/sessions/store.ts';
import { insertUser } from '../../src/identity/users/store.ts';
import { describeSeed, generateTotpSeed, seedPurpose } from '../../src/identity/users/totp.ts';
import type { Database, UserRow } from '../../src/storage/schema/schema.ts';
import type { TestApp } from './harness.ts';
import { changeAsOtherProcess } from './owner-rows.ts';

export type TestUser = Pick<UserRow, 'kind' | 'email' | 'name' | 'scopes'> & {
  readonly password?: string;
  readonly disabled?: boolean;
};

/** A hash that costs a sign-in almost nothing. The hashes of the service take 50 ms each. */
const cheap = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** The hashes of the passwords so far. */
const hashes = new Map<string, Promise<string>>();

function hashOnce(password: string): Promise<string> {
  const made = hashes.get(password) ?? hash(password.normalize('NFKC'), cheap);
  hashes.set(password, made);
  return made;
}

/** The row of a user without a password. */
export function userRow(user: Partial<TestUser> = {}): UserRow {
  const { kind = 'staff', scopes = '', name = 'Test user', disabled = false } = user;
  const id = newId('usr', randomBytes);
  return {
    id,
    kind,
    email: (user.email ?? `${id}@example.com`).toLowerCase(),
    name,
    password_hash: '',
    scopes,
    create_time: Date.now(),
    update_time: null,
    creator_id: null,
    ...neverDisabled,
    disable_time: disabled ? Date.now() : null,
    purge_position: null,
  };
}

/** Adds a user, by default without a password. */
export async function addUser(db: Database, user: Partial<TestUser> = {}): Promise<UserRow> {
  const { password } = user;
  const password_hash = password === undefined ? '' : await hashOnce(password);
  const row = { ...userRow(user), password_hash };
  await changeAsOtherProcess(db, (trx) => insertUser(trx, row));
  return row;
}

type SessionFacts = {
  /** Milliseconds since 1970; by default now. */
  readonly createTime?: number;
  readonly address?: string;
  readonly userAgent?: string;
};

/** Adds a session of the user, as a sign-in does. */
export async function addSession(
  db: Database,
  userId: string,
  { createTime = Date.now(), address = '127.0.0.1', userAgent }: SessionFacts = {},
): Promise<{ id: string; cookie: string }> {
  const codes = db.selectFrom('totp_seeds').select('user_id').where('user_id', '=', userId);
  const hasCode =
    (await codes.where('confirm_time', 'is not', null).executeTakeFirst()) !== undefined;
  // The sign-in of a user with an authenticator app proves a code.
  const own = { userId, amr: hasCode ? 'pwd otp mfa' : 'pwd', address, userAgent };
  const { row, cookie } = createSession(randomBytes, createTime, own);
  await insertSession(db, row);
  return { id: row.id, cookie };
}

/** Gives the user a second factor; returns a function from a time in milliseconds to its code. */
export async function addTotp(
  { app, dataDir }: TestApp,
  userId: string,
  { confirmed = true } = {},
): Promise<(timestamp: number) => string> {
  const masterKey = createMasterKey(await readMasterKeyFile(dataDir));
  const seed = generateTotpSeed(randomBytes);
  await app.inside.db
    .insertInto('totp_seeds')
    .values({
      user_id: userId,
      ciphertext: masterKey.seal(seed, seedPurpose(userId)),
      master_key_id: masterKey.id,
      create_time: Date.now(),
      confirm_time: confirmed ? Date.now() : null,
      last_step: 0,
    })
    .execute();
  if (confirmed) {
    await changeAsOtherProcess(app.inside.db, (trx) =>
      trx
        .updateTable('sessions')
        .set({ amr: 'pwd otp mfa' })
        .where('user_id', '=', userId)
        .execute(),
    );
  }
  const totp = new TOTP({ secret: describeSeed(seed, 'user').secret });
  return (timestamp) => totp.generate({ timestamp });
}

/** The code for a time in milliseconds. */
export function codeAt(seed: Uint8Array, time: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30_000)));
  const digest = createHmac('sha1', seed).update(counter).digest();
  const offset = digest.readUInt8(19) & 0xf;
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000;
  return String(number).padStart(6, '0');
}

/** Base32 (RFC 4648 §6) without padding. */
export function fromBase32(text: string): Buffer {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...text].map((one) => alphabet.indexOf(one).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
