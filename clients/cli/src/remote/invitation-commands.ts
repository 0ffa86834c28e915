// The commands for invitations to workspaces.
import type { Command } from '../base/command.ts';
import { groupOf } from './call-command.ts';
import type { FieldOption } from './call-spec.ts';

const workspace = { workspace_id: 'The id of the workspace.' };
export const roles = ['owner', 'admin', 'member'];

/** The part of `workspaces` for those who invite. */
export const invitationGroup = groupOf('invitations', 'Manages the invitations to a workspace.', [
  {
    name: 'list',
    about: 'Lists the open invitations.',
    method: 'workspace.listInvitations',
    args: workspace,
    columns: ['id', 'email', 'role', { path: 'create_time', title: 'Sent' }, 'expire_time'],
  },
  {
    name: 'create',
    about: 'Sends a mail with an invitation. It replaces an earlier one to the same address.',
    method: 'workspace.createInvitation',
    isCreating: true,
    args: { ...workspace, email: 'The email address.' },
    fields: { role: { value: 'role', values: roles, about: 'The role in the workspace.' } },
    examples: ['workspaces invitations create ws_… ada@example.com --role member'],
  },
  {
    name: 'revoke',
    about: 'Revokes an invitation.',
    method: 'workspace.revokeInvitation',
    args: { ...workspace, invitation_id: 'The id of the invitation.' },
  },
]);

const tokenField: FieldOption = {
  isSecret: true,
  about: 'Asks for the token in the mail, or reads it from the standard input.',
};

const invitations = groupOf('invitations', 'Uses an invitation to a workspace.', [
  {
    name: 'read',
    about: 'Shows an invitation.',
    method: 'invitation.readInvitation',
    fields: { token: tokenField },
    isPublic: true,
    examples: ['invitations read --server https://keys.example.com --token'],
  },
  {
    name: 'accept',
    about: 'Creates a user with a password, who becomes a member of the workspace.',
    details:
      'Without a terminal, the standard input has the token on the first line and the password ' +
      'on the next.',
    method: 'invitation.acceptInvitation',
    fields: {
      token: tokenField,
      password: { isSecret: true, about: 'Asks for the password, or reads it.' },
      name: { value: 'name', about: 'The display name of the user.' },
    },
    isPublic: true,
    examples: ['invitations accept --server https://keys.example.com --token --password'],
  },
  {
    name: 'join',
    about: 'Accepts an invitation as the signed-in user.',
    method: 'invitation.joinWorkspace',
    isCreating: true,
    args: { user_id: 'Your id, which `whoami` shows.' },
    fields: { token: tokenField },
  },
]);

export const invitationCommands: readonly Command[] = [invitations];
