// The answers of calls with an Idempotency-Key. See docs/decisions/0004.
import { createHash, hkdfSync } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { createMasterKey, type MasterKey } from '../../base/crypto/master-key.ts';
import { fail } from '../../base/errors/errors.ts';
import type { Database, RecordedAnswerRow } from '../../storage/schema/schema.ts';
import {
  AlreadyRecorded,
  type KeyedCall,
  type KeyedRequest,
  type RecordedAnswers,
} from './claim.ts';
import { deleteAnswer, deleteSurplus, findAnswer, hasAnswer, insertAnswer } from './store.ts';

export const answerMs = 86_400_000;
/** Later answers replace the oldest ones of the same caller. */
const answersMaxDefault = 10_000;

/** An answer of the future was recorded before the clock was set back. */
const validAt = (time: number) => ({ after: time - answerMs, until: time + answerMs });

export type RecordedAnswersOptions = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly now: Clock;
  readonly answersMax?: number;
};

export function createRecordedAnswers(options: RecordedAnswersOptions): RecordedAnswers {
  const { db, masterKey, now, answersMax = answersMaxDefault } = options;
  const derived = masterKey.derive('recorded answers');

  /** It also depends on the Idempotency-Key, of which the database has only a digest. */
  function answerKey({ caller, key }: KeyedCall): MasterKey {
    const info = JSON.stringify([caller, key]);
    const keyOf = (bytes: Uint8Array) => Buffer.from(hkdfSync('sha256', bytes, '', info, 32));
    const [own, ...others] = derived;
    return createMasterKey(keyOf(own), others.map(keyOf));
  }

  function openAnswer(call: KeyedCall, identity: string, row: RecordedAnswerRow) {
    try {
      return readRecord(answerKey(call).open(row.answer, identity));
    } catch {
      return undefined;
    }
  }

  return {
    has: (call) => hasAnswer(db, rowKey(call), validAt(now())),

    async find(call, { identity, scopes }) {
      const row = await findAnswer(db, rowKey(call), validAt(now()));
      if (row === undefined) return undefined;
      if (!masterKey.opens(row.master_key_id)) throw sealedUnderAnotherKey();
      const opened = openAnswer(call, identity, row);
      if (opened === undefined) throw otherRequest();
      requireScopes(opened.scopes, scopes);
      return opened.answer;
    },

    async record(trx, call, { identity, scopes }, answer) {
      const time = now();
      const row = {
        key: rowKey(call),
        caller: call.caller,
        // Only the same request decrypts the answer, so its digest is not stored.
        answer: answerKey(call).seal(makeRecord({ scopes, answer }), identity),
        master_key_id: masterKey.id,
        create_time: time,
      };
      if (!(await insertAnswer(trx, row, validAt(time)))) throw new AlreadyRecorded();
      await deleteSurplus(trx, call.caller, answersMax);
    },

    async withdraw(trx, call) {
      await deleteAnswer(trx, rowKey(call));
    },
  };
}

type AnswerRecord = Pick<KeyedRequest, 'scopes'> & { readonly answer: Uint8Array };

const makeRecord = ({ scopes, answer }: AnswerRecord) =>
  Buffer.concat([Buffer.from(`${scopes.join(' ')}\n`), answer]);

function readRecord(bytes: Buffer): AnswerRecord {
  const end = bytes.indexOf('\n');
  const scopes = bytes.toString('utf8', 0, end).split(' ').filter(Boolean);
  return { scopes, answer: bytes.subarray(end + 1) };
}

const rowKey = ({ caller, key }: KeyedCall) =>
  createHash('sha256')
    .update(JSON.stringify([caller, key]))
    .digest('hex');

/** The first call may have needed scopes that only its handler checked. */
function requireScopes(needed: readonly string[], held: readonly string[]): void {
  const missing = needed.filter((scope) => !held.includes(scope));
  if (missing.length === 0) return;
  const detail = `The first call with this Idempotency-Key also held ${missing.join(' ')}.`;
  throw fail('forbidden', detail);
}

const otherRequest = () =>
  fail(
    'idempotency_key_reused',
    'The Idempotency-Key was used for another request within the last 24 hours.',
  );

const sealedUnderAnotherKey = () =>
  fail(
    'conflict',
    'The call succeeded before the master key changed. Its answer can no longer be decrypted.',
  );
