// One-time codes of six digits. A visitor who enters the code has verified the email address.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Clock, dayMs, minuteMs, secondMs } from '../../base/clock.ts';
import type { Random } from '../../base/crypto/ids.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { fail } from '../../base/errors/errors.ts';
import type { MailPart } from '../../base/mail/mail-body.ts';
import type { Mailer } from '../../base/mail/mailer.ts';
import { mailboxOf } from '../../base/net/email.ts';
import { mailName } from '../../base/net/mail-name.ts';
import { isForeignKeyViolation, transact } from '../../storage/database.ts';
import { noteSeen, wasSeen } from '../../storage/queries/seen-times.ts';
import type { Database, Executor, GateCodeRow } from '../../storage/schema/schema.ts';
import {
  type Counter,
  createThrottle,
  steadyLimit,
  type ThrottleLimit,
} from '../../storage/throttle.ts';
import type { Brand, Brands } from '../brand/brand.ts';
import type { Domains } from '../domains/domains.ts';
import { verifiedBrowserId } from './cookies.ts';
import { addTry, deleteCode, findCode, lockCode, replaceCode } from './store.ts';

const validMs = 10 * minuteMs;
const triesMax = 5;
/** Tries that all visitors who did not request the code have together. */
const othersTriesMax = 20;
const resendMs = 30_000;

const limits = {
  // One address in one workspace: at most 12 mails an hour. Strangers, those who enter a verified
  // address, and each browser with a verified address are counted separately.
  address: steadyLimit(6, 10 * minuteMs),
  // One mailbox in all workspaces, so that it is not flooded. Verified addresses do not count.
  mailbox: steadyLimit(18, 5 * minuteMs),
  // One network that enters many addresses. It may be an office at a presentation.
  network: steadyLimit(60, minuteMs),
  // One browser in which another address was verified.
  browser: steadyLimit(5, 5 * minuteMs),
  // The budgets of a link, a workspace and the service. Verified addresses, browsers with a
  // verified address, and strangers have separate budgets and cannot exhaust each other's.
  link: steadyLimit(100, 20 * secondMs),
  workspace: steadyLimit(300, 5 * secondMs),
  service: steadyLimit(1_000, secondMs),
} as const satisfies Record<string, ThrottleLimit>;

export const verifiedAddressMs = 90 * dayMs;

export type CodeTarget = {
  readonly linkId: string;
  readonly workspaceId: string;
  readonly email: string;
};

export type CodeRequester = {
  readonly network: string;
  readonly verifiedBrowser: string | undefined;
  /** The visitor's id in the cookie. Tries are counted per visitor. */
  readonly visitor: string;
};

export type MailedLink = {
  readonly slug: string;
  readonly title: string | undefined;
};

export type EnteredCode = { readonly code: string; readonly visitor: string };

export type GateCodes = {
  /**
   * Sends a new code, which replaces the previous one, and resolves to 0. If the previous one was
   * sent a moment ago, sends nothing and resolves to the seconds to wait. Throws `rate_limited` and
   * `unavailable`.
   */
  send(target: CodeTarget, requester: CodeRequester, link: MailedLink): Promise<number>;
  /** Returns whether the code is right. A right code is used up; a wrong one costs a try. */
  redeem(trx: Executor, target: CodeTarget, entered: EnteredCode): Promise<boolean>;
};

export type GateCodesOptions = {
  readonly db: Database;
  readonly mailer: Mailer;
  readonly brands: Brands;
  readonly urlOf: Domains['urlOf'];
  /** The database stores only HMACs of addresses and codes under these keys. */
  readonly keys: DerivedKeys;
  readonly random: Random;
  readonly now: Clock;
};

function createDigests(hmacKey: Uint8Array) {
  const digest = (...parts: string[]) =>
    createHmac('sha256', hmacKey).update(JSON.stringify(parts)).digest('base64url');
  const keyOf = ({ linkId, email }: CodeTarget) => digest('target', linkId, email);
  return {
    order: digest('order'),
    keyOf,
    verifiedAddressKeyOf: ({ workspaceId, email }: CodeTarget) =>
      digest('verified', workspaceId, email),
    codeDigest: (target: CodeTarget, code: string) => digest('code', keyOf(target), code),
    triesKeyOf: (code: GateCodeRow, visitor: string) =>
      digest('tries', code.key, code.digest, String(code.send_time), visitor),
  };
}

type Digests = ReturnType<typeof createDigests>;

export function createGateCodes(options: GateCodesOptions): GateCodes {
  const { db, mailer, brands, urlOf, keys, random, now } = options;
  const throttle = createThrottle({ db, keys, limits, refusal: tooMany, now });
  const { counter } = throttle;
  const ownDigests = createDigests(keys[0]);
  const all = keys.map(createDigests);
  // The same order on every node, whichever master key is its current one.
  const ordered = [...all].sort((a, b) => (a.order < b.order ? -1 : 1));

  async function findDigests(executor: Executor, target: CodeTarget): Promise<Digests> {
    if (ordered.length === 1) return ownDigests;
    for (const digests of ordered) {
      const row = await findCode(executor, digests.keyOf(target));
      if (row !== undefined && row.expire_time > now()) return digests;
    }
    return ownDigests;
  }

  /** The counters that a mail increments. A verified address has its own in any browser. */
  async function countersOf(
    target: CodeTarget,
    { network, verifiedBrowser }: CodeRequester,
  ): Promise<Counter[]> {
    const { linkId, workspaceId, email } = target;
    const budget = (group: 'browser' | 'stranger') => [
      counter('link', group, linkId),
      counter('workspace', group, workspaceId),
      counter('service', group),
    ];
    const address = (...group: string[]) => counter('address', workspaceId, email, ...group);
    const mailbox = (group: 'browser' | 'stranger') => counter('mailbox', mailboxOf(email), group);
    if (verifiedBrowser === verifiedBrowserId(email)) {
      return [address('browser', verifiedBrowser), counter('service', 'address')];
    }
    const since = now() - verifiedAddressMs;
    const verifiedKeys = all.map((digests) => digests.verifiedAddressKeyOf(target));
    if (await wasSeen(db, 'verified_addresses', verifiedKeys, since)) {
      return [address('verified'), counter('service', 'address')];
    }
    if (verifiedBrowser !== undefined) {
      const own = [address('browser', verifiedBrowser), counter('browser', verifiedBrowser)];
      return [...own, mailbox('browser'), ...budget('browser')];
    }
    const own = [address('stranger'), counter('network', network)];
    return [...own, mailbox('stranger'), ...budget('stranger')];
  }

  async function storeNewCode(
    target: CodeTarget,
    requester: CodeRequester,
    code: string,
    { keyOf, codeDigest, triesKeyOf }: Digests,
  ): Promise<boolean> {
    const counted = await countersOf(target, requester);
    const identity = {
      key: keyOf(target),
      link_id: target.linkId,
      digest: codeDigest(target, code),
    };
    return transact(db, async (trx) => {
      const time = now();
      const times = { send_time: time, expire_time: time + validMs };
      const row = { ...identity, tries: 0, ...times };
      if (!(await replaceCode(trx, row, time - resendMs))) return false;
      await replaceCode(trx, { ...row, key: triesKeyOf(row, requester.visitor) }, time);
      await throttle.countIn(trx, counted);
      return true;
    }).catch((error: unknown) => {
      // The link was deleted with its document in the meantime.
      throw isForeignKeyViolation(error) ? fail('not_found', 'The link does not exist.') : error;
    });
  }

  async function countTry(trx: Executor, target: CodeTarget, visitor: string, digests: Digests) {
    // Concurrent tries wait here until the commit.
    const row = await lockCode(trx, digests.keyOf(target), now());
    if (row === undefined) return undefined;
    const key = digests.triesKeyOf(row, visitor);
    const visitorRow = await findCode(trx, key);
    if ((visitorRow?.tries ?? 0) >= triesMax) return undefined;
    const hasAsked = visitorRow?.digest === row.digest;
    if (!hasAsked && row.tries >= othersTriesMax) return undefined;
    await addTry(trx, { ...row, key, digest: '', tries: 1 });
    if (!hasAsked) await addTry(trx, row);
    return row;
  }

  return {
    async send(target, requester, { slug, title }) {
      const code = generateCode(random);
      const digests = await findDigests(db, target);
      if (!(await storeNewCode(target, requester, code, digests))) {
        const last = await findCode(db, digests.keyOf(target));
        return Math.max(1, Math.ceil(((last?.send_time ?? 0) + resendMs - now()) / 1000));
      }
      try {
        const brand = await brands.of(target.workspaceId);
        const url = urlOf({ workspace_id: target.workspaceId, slug });
        const parts = partsOf(code, { brand, title, url });
        await mailer.send({ to: target.email, subject, ...brands.renderMail(brand, parts) });
      } catch (error) {
        // The next attempt need not wait for a mail that was never sent.
        const digest = digests.codeDigest(target, code);
        await transact(db, (trx) => deleteCode(trx, digests.keyOf(target), digest));
        throw error;
      }
      return 0;
    },

    async redeem(trx, target, { code, visitor }) {
      const digests = await findDigests(trx, target);
      const row = await countTry(trx, target, visitor, digests);
      if (row === undefined) return false;
      const given = Buffer.from(digests.codeDigest(target, code));
      if (!timingSafeEqual(Buffer.from(row.digest), given)) return false;
      await deleteCode(trx, row.key, row.digest);
      const key = ownDigests.verifiedAddressKeyOf(target);
      await noteSeen(trx, 'verified_addresses', key, now());
      return true;
    },
  };
}

const tooMany = (retryAfterSeconds: number) =>
  fail('rate_limited', 'Too many codes were requested.', { retryAfterSeconds });

/** Returns six digits. All codes are equally likely. */
export function generateCode(random: Random): string {
  const count = 1_000_000;
  for (;;) {
    const value = Buffer.from(random(4)).readUInt32BE();
    // Values after the last complete million would make low codes more likely.
    if (value < 2 ** 32 - (2 ** 32 % count)) return String(value % count).padStart(6, '0');
  }
}

const subject = 'Your code for a shared document';

type CodeMail = {
  readonly brand: Brand;
  readonly title: string | undefined;
  readonly url: string;
};

function partsOf(code: string, { brand, title, url }: CodeMail): MailPart[] {
  const document = title === undefined ? 'a document' : `“${mailName(title)}”`;
  return [
    { code },
    {
      text:
        `${mailName(brand.workspaceName)} shared ${document} with you. Enter this code on the ` +
        'page of the link to view the document.',
    },
    { label: 'Open the page', url },
    { text: `The code expires in ${validMs / minuteMs} minutes and works once.` },
    {
      note:
        'Do not share this code with anyone. If you did not request it, ignore this email: ' +
        'without the code, no one can open the document with your address.',
    },
  ];
}
