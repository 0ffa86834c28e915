// Inviting people to a workspace by mail. See docs/decisions/0007.

import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { requireHeldScopes } from '../../api/access/privilege.ts';
import { claimOf } from '../../api/idempotency/claim.ts';
import { type Principal, principalId, principalOf } from '../../api/principal.ts';
import { workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { nameCreators } from '../../audit/names/creators.ts';
import { type Clock, dayMs, minuteMs, secondMs } from '../../base/clock.ts';
import type { Random } from '../../base/crypto/ids.ts';
import {
  formatLinkToken,
  generateLinkToken,
  linkTokenDigest,
} from '../../base/crypto/link-token.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import type { MailPart } from '../../base/mail/mail-body.ts';
import type { Mailer } from '../../base/mail/mailer.ts';
import { mailboxOf, readEmail } from '../../base/net/email.ts';
import { mailAddress, mailName } from '../../base/net/mail-name.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import { findUserRow, findUserRowByEmail } from '../../storage/queries/users.ts';
import type { Database, Executor, InvitationRow, UserRow } from '../../storage/schema/schema.ts';
import { createThrottle, steadyLimit, type ThrottleLimit } from '../../storage/throttle.ts';
import type { Brands } from '../brand/brand.ts';
import {
  countOtherInvitations,
  endInvitations,
  findInvitation,
  findInvitations,
  findInvitationsTo,
  insertInvitation,
  invitationList,
} from './invitations/store.ts';
import { requireOwner } from './members.ts';
import { protoRoles, roleScopes, rolesByProto } from './roles.ts';
import { findMember } from './store.ts';
import { lockWorkspace, requireWorkspace } from './workspaces.ts';

export const invitationMs = 7 * dayMs;
const openMax = 100;

const limits = {
  // One mailbox in all workspaces, so that it is not flooded.
  mailbox: steadyLimit(5, 10 * minuteMs),
  workspace: steadyLimit(100, minuteMs),
  service: steadyLimit(1_000, secondMs),
} as const satisfies Record<string, ThrottleLimit>;

export type InvitationOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly mailer: Mailer;
  readonly brands: Brands;
  readonly invitationKeys: DerivedKeys;
  readonly publicUrl: string;
  readonly random: Random;
  readonly now: Clock;
};

type InvitationMethods = Pick<
  ServiceImpl<typeof WorkspaceService>,
  'createInvitation' | 'listInvitations' | 'revokeInvitation'
>;

export function createInvitationMethods(options: InvitationOptions): InvitationMethods {
  const { db, auditLog, mailer, brands, invitationKeys: keys, publicUrl, random, now } = options;
  const throttle = createThrottle({ db, keys, limits, refusal: tooMany, now });

  async function bodyOf({ workspace_id, inviter_id, role }: InvitationRow, url: string) {
    const brand = await brands.of(workspace_id);
    const inviter = await findUserRow(db, inviter_id);
    const { workspaceName } = brand;
    return brands.renderMail(brand, partsOf({ workspaceName, inviter, role, url }));
  }

  /** Ends invitations without a caller. Each of them that still exists gets an event. */
  function end(ids: readonly string[], also?: (trx: Executor) => Promise<void> | undefined) {
    const action = 'WorkspaceService.RevokeInvitation';
    const change = { target: [], revokes: true };
    return auditLog.changeBySystem(action, change, async (trx, record) => {
      for (const id of await endInvitations(trx, ids)) record(action, id);
      await also?.(trx);
    });
  }

  return {
    async createInvitation(request, context) {
      const email = readEmail(request.email);
      if (email === undefined) throw invalid('email', 'must be an email address');
      const token = generateLinkToken('inv', random);
      const row: InvitationRow = {
        id: token.id,
        workspace_id: workspaceOf(context),
        email,
        role: rolesByProto.get(request.role) ?? 'member',
        inviter_type: inviterType(principalOf(context)),
        inviter_id: principalId(principalOf(context)),
        digest: linkTokenDigest(token),
        create_time: now(),
        expire_time: now() + invitationMs,
      };
      let earlier: readonly string[] = [];
      const answer = await auditLog.create(context, { target: row.id }, async (trx) => {
        const { workspace_id: workspaceId, role } = row;
        await lockWorkspace(trx, workspaceId);
        await requireHeldScopes(trx, context, roleScopes[role], { workspaceId });
        const others = await findInvitationsTo(trx, row);
        const open = others.filter(({ expire_time }) => expire_time > now());
        if ([row, ...open].some((one) => one.role === 'owner')) await requireOwner(trx, context);
        await requireRoom(trx, row, now());
        await throttle.countIn(trx, [
          throttle.counter('mailbox', mailboxOf(email)),
          throttle.counter('workspace', workspaceId),
          throttle.counter('service'),
        ]);
        await insertInvitation(trx, row);
        earlier = others.map(({ id }) => id);
        return { invitation: invitationMessage(row) };
      });
      const url = `${publicUrl}/console/invitation#${formatLinkToken(token)}`;
      try {
        await mailer.send({ to: email, subject, ...(await bodyOf(row, url)) });
      } catch (error) {
        await end([row.id], (trx) => claimOf(context)?.withdraw(trx));
        throw error;
      }
      // Until its mail is sent, a later invitation does not end the earlier ones.
      if (earlier.length > 0) await end(earlier);
      return answer;
    },

    async listInvitations(request, context) {
      const workspaceId = workspaceOf(context);
      await requireWorkspace(db, workspaceId);
      const query = parseListRequest(request, invitationList.sorts, context.signal);
      const { rows, ...page } = await findInvitations(db, workspaceId, now(), query);
      const messages = rows.map(invitationMessage);
      const invitations = await nameCreators(db, context, messages, workspaceId);
      return { invitations, ...page };
    },

    async revokeInvitation({ invitationId }, context) {
      await auditLog.change(context, { target: invitationId }, async (trx) => {
        const row = await findInvitation(trx, invitationId);
        const isHere = row?.workspace_id === workspaceOf(context) && row.expire_time > now();
        if (isHere && row.role === 'owner') await requireOwner(trx, context);
        const deleted = isHere ? await endInvitations(trx, [invitationId]) : [];
        if (deleted.length === 0) throw fail('not_found', 'The invitation does not exist.');
      });
      return {};
    },
  };
}

/** Throws `conflict` if the address has a member, or the workspace has too many invitations. */
async function requireRoom(trx: Executor, row: InvitationRow, now: number): Promise<void> {
  const user = await findUserRowByEmail(trx, row.email);
  const member = user && (await findMember(trx, row.workspace_id, user.id));
  if (member !== undefined) {
    throw fail('conflict', 'The address belongs to a member of the workspace.');
  }
  if ((await countOtherInvitations(trx, row, now)) >= openMax) {
    throw fail('conflict', `The workspace has ${openMax} open invitations. Revoke some first.`);
  }
}

function inviterType({ type }: Principal): InvitationRow['inviter_type'] {
  if (type === 'service' || type === 'staff' || type === 'member') return type;
  throw new Error(`callers of type ${type} cannot invite`);
}

function invitationMessage(row: InvitationRow) {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    email: row.email,
    role: protoRoles[row.role],
    creator: row.inviter_id,
    createTime: timestampFromMs(row.create_time),
    expireTime: timestampFromMs(row.expire_time),
  };
}

const tooMany = (retryAfterSeconds: number) =>
  fail('rate_limited', 'Too many invitations were sent.', { retryAfterSeconds });

const subject = 'You are invited to a workspace';

type InvitationMail = {
  readonly workspaceName: string;
  readonly inviter: Pick<UserRow, 'name' | 'email'> | undefined;
  readonly role: InvitationRow['role'];
  readonly url: string;
};

function partsOf({ workspaceName, inviter, role, url }: InvitationMail): MailPart[] {
  const invited =
    inviter === undefined
      ? 'You are invited'
      : `${inviter.name === '' ? mailAddress(inviter.email) : mailName(inviter.name)} invited you`;
  const article = role === 'member' ? 'a' : 'an';
  const workspace = mailName(workspaceName);
  return [
    { text: `${invited} to the workspace “${workspace}” on Latchkey as ${article} ${role}.` },
    { label: 'Accept the invitation', url },
    { text: 'The link expires in 7 days and works once. Do not forward it.' },
    { note: 'If you did not expect an invitation, ignore this email.' },
  ];
}
