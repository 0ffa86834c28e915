// The data of users in workspaces, for their export and their erasure.
import type { UserData } from '../../api/access/user-data.ts';
import { ownData } from '../../storage/queries/own-data.ts';
import { ownedRows, type PurgeStep } from '../../storage/upkeep/purge.ts';
import {
  deleteInvitations,
  eraseFromLinks,
  eraseFromViews,
  forgetReader,
  readOwnViews,
} from './store.ts';

const invitationColumns = [
  'id',
  'workspace_id',
  'email',
  'role',
  'create_time',
  'expire_time',
] as const;

/** Links without their addresses, which are secret. */
export const sharedData = {
  memberships: ownData({
    table: 'members',
    owner: 'user_id',
    by: 'id',
    columns: ['workspace_id', 'role', 'create_time'],
    key: 'workspace_id',
  }),
  notice_reads: ownData({
    table: 'notice_reads',
    owner: 'user_id',
    by: 'id',
    columns: ['workspace_id', 'read_time'],
    key: 'workspace_id',
  }),
  sent_invitations: ownData({
    table: 'invitations',
    owner: 'inviter_id',
    by: 'id',
    columns: invitationColumns,
  }),
  received_invitations: ownData({
    table: 'invitations',
    owner: 'email',
    by: 'email',
    columns: invitationColumns,
  }),
  documents: ownData({
    table: 'documents',
    owner: 'creator_id',
    by: 'id',
    columns: [
      ...(['id', 'workspace_id', 'name', 'content_type', 'size_bytes', 'sha256'] as const),
      ...(['version', 'create_time'] as const),
    ],
  }),
  links: ownData({
    table: 'links',
    owner: 'creator_id',
    by: 'id',
    columns: [
      ...(['id', 'workspace_id', 'document_id', 'folder_id', 'name', 'view_count'] as const),
      ...(['create_time', 'expire_time', 'revoke_time'] as const),
    ],
  }),
  views: readOwnViews,
} satisfies Readonly<Record<string, UserData>>;

export const createUserErasure = (): readonly PurgeStep[] => [
  eraseFromViews,
  eraseFromLinks,
  forgetReader,
  deleteInvitations,
  ownedRows('members', 'user_id', 'workspace_id'),
  ownedRows('notice_reads', 'user_id', 'workspace_id'),
];
