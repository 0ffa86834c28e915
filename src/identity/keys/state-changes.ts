// Changes the state of signing keys. The transaction must have locked them with `lockSigningKeys`.
import { fail, requireFound } from '../../base/errors/errors.ts';
import type { Executor, SigningKeyRow } from '../../storage/schema/schema.ts';
import {
  findActiveKey,
  hasSuccession,
  type KeyEvent,
  type KeyStep,
  keyChangeOf,
  readyTime,
  successionStep,
} from './lifecycle.ts';
import { type NewKey, newKeyRow } from './signing-key.ts';
import {
  findPublishedKeys,
  findSigningKey,
  insertSigningKey,
  isAlgorithmUsed,
  updateSigningKey,
} from './store.ts';

async function existingKey(trx: Executor, kid: string): Promise<SigningKeyRow> {
  return requireFound(await findSigningKey(trx, kid), 'signing key');
}

async function move(
  trx: Executor,
  event: KeyEvent,
  row: SigningKeyRow,
  now: number,
): Promise<SigningKeyRow> {
  const change = keyChangeOf(event, row, now);
  if (change.state !== undefined) await updateSigningKey(trx, row.kid, change);
  return { ...row, ...change };
}

export async function insertNewKey(
  trx: Executor,
  key: NewKey,
  state: 'pending' | 'active',
  now: number,
): Promise<SigningKeyRow> {
  const row = newKeyRow(key, state, now);
  await insertSigningKey(trx, row);
  return row;
}

export type Activation = { readonly force: boolean; readonly now: number };

export async function activateKey(
  trx: Executor,
  kid: string,
  { force, now }: Activation,
): Promise<SigningKeyRow> {
  const row = await existingKey(trx, kid);
  const { state } = keyChangeOf('activate', row, now);
  if (state === undefined) return row;
  const early = readyTime(row) - now;
  if (early > 0 && !force) {
    const seconds = Math.ceil(early / 1000);
    throw fail('conflict', `Verifiers may not know the key yet. It is ready in ${seconds} s.`);
  }
  const before = findActiveKey(await findPublishedKeys(trx), row.alg);
  if (before !== undefined) await move(trx, 'retire', before, now);
  return move(trx, 'activate', row, now);
}

export type Revocation = {
  readonly revoked: SigningKeyRow;
  /** Replaces the key, if its algorithm needs another one. */
  readonly step: KeyStep | undefined;
};

export async function revokeKey(trx: Executor, kid: string, now: number): Promise<Revocation> {
  const row = await existingKey(trx, kid);
  const revoked = await move(trx, 'revoke', row, now);
  return { revoked, step: await replacementStep(trx, row, now) };
}

async function replacementStep(
  trx: Executor,
  { alg, state }: SigningKeyRow,
  now: number,
): Promise<KeyStep | undefined> {
  const keys = await findPublishedKeys(trx);
  const isUsed = await isAlgorithmUsed(trx, alg);
  if (state === 'active') return isUsed ? successionStep(keys, alg, now) : undefined;
  // A first key that has not signed leaves no tokens, so that its successor can wait, too.
  return isUsed && !hasSuccession(keys, alg) ? { kind: 'create', alg } : undefined;
}

export const keyStepActions: Record<KeyStep['kind'], string> = {
  remove: 'SigningKeyService.RemoveSigningKey',
  create: 'SigningKeyService.CreateSigningKey',
  activate: 'SigningKeyService.ActivateSigningKey',
  replace: 'SigningKeyService.ReplaceSigningKey',
};

export const keyStepTarget = (step: KeyStep, spare: NewKey) =>
  'kid' in step ? step.kid : spare.kid;

export async function applyKeyStep(
  trx: Executor,
  step: KeyStep,
  { spare, now }: { readonly spare: NewKey; readonly now: number },
): Promise<void> {
  switch (step.kind) {
    case 'remove':
      await move(trx, 'remove', await existingKey(trx, step.kid), now);
      return;
    case 'create':
      await insertNewKey(trx, spare, 'pending', now);
      return;
    case 'activate':
      await activateKey(trx, step.kid, { force: false, now });
      return;
    case 'replace':
      await insertNewKey(trx, spare, 'active', now);
  }
}
