// The rows that no request needs after some time. Every table that grows without a quota has a line
// here or a rule in retention.ts; docs/decisions/0012 lists the others.

import { answerMs } from '../api/idempotency/recorded-answers.ts';
import { type Clock, dayMs } from '../base/clock.ts';
import { usageDaysMax } from '../credentials/usage/store.ts';
import { deviceSignInMsMax } from '../identity/sessions/device-methods.ts';
import { sessionMsMax } from '../identity/sessions/session.ts';
import { familiarMs } from '../identity/sessions/sign-in-throttle.ts';
import { assertionSkewMsMax } from '../identity/tokens/client-assertions.ts';
import { revocationSkewMsMax } from '../identity/tokens/revocations.ts';
import { passwordLinkMsMax } from '../identity/users/password-resets.ts';
import { removedDomainMs } from '../sharing/domains/domains.ts';
import { verifiedAddressMs } from '../sharing/gate/codes.ts';
import { invitationMs } from '../sharing/workspaces/invitations.ts';
import { oldRows } from '../storage/upkeep/delete-oldest.ts';
import type { RetentionRule } from '../storage/upkeep/retention.ts';

export function oldRowRules(now: Clock): RetentionRule[] {
  const expired = () => [{ before: now() + 1 }];
  /** The clock was ahead when a row was created that expires later than a new row. */
  const expiredWithin = (msMax: number) => () => [...expired(), { from: now() + msMax + 1 }];
  const past = (ms: number) => () => [{ before: now() - ms }];
  return [
    oldRows('throttle_counters', 'key', 'level_time', expired),
    oldRows('gate_codes', 'key', 'expire_time', expired),
    oldRows('verified_addresses', 'key', 'last_time', past(verifiedAddressMs)),
    oldRows('remembered_readers', 'digest', 'expire_time', expired),
    oldRows('sessions', 'id', 'expire_time', expiredWithin(sessionMsMax)),
    oldRows('device_sign_ins', 'id', 'expire_time', expiredWithin(deviceSignInMsMax)),
    oldRows('familiar_networks', 'key', 'last_time', past(familiarMs)),
    oldRows('password_resets', 'id', 'expire_time', expiredWithin(passwordLinkMsMax)),
    oldRows('invitations', 'id', 'expire_time', expiredWithin(invitationMs)),
    oldRows('domains', 'id', 'remove_time', past(removedDomainMs)),
    oldRows('revoked_tokens', 'jti', 'expire_time', past(revocationSkewMsMax)),
    oldRows('used_assertions', 'digest', 'expire_time', past(assertionSkewMsMax)),
    oldRows('recorded_answers', 'key', 'create_time', () => [
      { before: now() - answerMs + 1 },
      { from: now() + answerMs + 1 },
    ]),
    oldRows('usage_counts', 'key', 'day', () => [
      { before: Math.floor(now() / dayMs) - usageDaysMax },
    ]),
  ];
}
