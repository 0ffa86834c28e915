// Writes invitations into the database, as another process would.
import { randomBytes } from 'node:crypto';
import {
  formatLinkToken,
  generateLinkToken,
  linkTokenDigest,
} from '../../src/base/crypto/link-token.ts';
import { insertInvitation } from '../../src/sharing/workspaces/invitations/store.ts';
import type { InvitationRow } from '../../src/storage/schema/schema.ts';
import type { TestApp } from './harness.ts';
import { addMember } from './member-rows.ts';
import { addWorkspace, changeAsOtherProcess } from './owner-rows.ts';

/** Adds an invitation by a new owner of the workspace, by default of a new one. */
export async function addInvitation(
  { app }: Pick<TestApp, 'app'>,
  email = 'invited@example.com',
  workspaceId?: string,
): Promise<InvitationRow & { token: string }> {
  const { db } = app.inside;
  const workspace_id = workspaceId ?? (await addWorkspace(db, '')).ownerId;
  const token = generateLinkToken('inv', randomBytes);
  const row: InvitationRow = {
    id: token.id,
    workspace_id,
    email,
    role: 'member',
    inviter_type: 'member',
    inviter_id: await addMember(db, workspace_id, 'owner'),
    digest: linkTokenDigest(token),
    create_time: Date.now(),
    expire_time: Date.now() + 3_600_000,
  };
  await changeAsOtherProcess(db, (trx) => insertInvitation(trx, row));
  return { ...row, token: formatLinkToken(token) };
}
