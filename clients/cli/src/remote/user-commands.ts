// The commands for users and their sessions.
import type { Command } from '../base/command.ts';
import { groupOf } from './call-command.ts';
import type { FieldOption } from './call-spec.ts';
import type { ListColumn } from './columns.ts';
import {
  byAddress,
  etagField,
  nameField,
  scopesField,
  showDeletedField,
  userArgument,
} from './common-fields.ts';
import { userIdentities } from './provider-commands.ts';
import { exportUserCommand } from './transfer-commands.ts';

const userOrMe = { user_id: `The id of the user, or \`me\` for yourself. ${byAddress}` };
const kinds = ['staff', 'member'];
const passwordField: FieldOption = {
  isSecret: true,
  about: 'Asks for the password, or reads it from the standard input.',
};
const otherSessionsField: FieldOption = { about: 'Ends the other sessions of the user.' };

const totp = groupOf('totp', 'Manages your second factor.', [
  {
    name: 'enrol',
    about: 'Starts adding a second factor, and prints its secret once.',
    method: 'user.enrolTotp',
    args: userOrMe,
  },
  {
    name: 'confirm',
    about: 'Activates the second factor with a first code.',
    method: 'user.confirmTotp',
    isCreating: true,
    args: userOrMe,
    fields: {
      code: { isSecret: true, about: 'Asks for the code, or reads it from the standard input.' },
      end_other_sessions: otherSessionsField,
    },
  },
  {
    name: 'remove',
    about: 'Removes the second factor.',
    method: 'user.removeTotp',
    args: userOrMe,
    fields: { end_other_sessions: otherSessionsField },
  },
  {
    name: 'create-recovery-codes',
    about: 'Creates ten recovery codes and prints them once. Earlier ones do not work any more.',
    details: 'At a sign-in, each code replaces a one-time code once.',
    method: 'user.createRecoveryCodes',
    isCreating: true,
    args: userOrMe,
  },
]);

const passkey = { ...userOrMe, passkey_id: 'The id of the passkey.' };

const passkeys = groupOf('passkeys', 'Manages passkeys. Add them in the console.', [
  {
    name: 'list',
    about: 'Lists the passkeys of a user.',
    method: 'passkey.listPasskeys',
    args: userOrMe,
  },
  {
    name: 'rename',
    about: 'Renames one of your passkeys.',
    method: 'passkey.updatePasskey',
    args: { ...passkey, name: 'The new name.' },
  },
  {
    name: 'delete',
    about: 'Deletes a passkey. The user can no longer sign in with it.',
    method: 'passkey.deletePasskey',
    args: passkey,
  },
]);

const sessionColumns: readonly ListColumn[] = [
  'id',
  'browser',
  'device',
  'address',
  'amr',
  { path: 'create_time', title: 'Signed in' },
  'refresh_time',
];

const userSessions = groupOf('sessions', 'Manages the sessions of a user.', [
  {
    name: 'list',
    about: 'Lists the sessions of a user.',
    method: 'session.listUserSessions',
    args: userArgument,
    columns: sessionColumns,
  },
  {
    name: 'revoke',
    about: 'Ends a session of a user.',
    method: 'session.revokeUserSession',
    args: { ...userArgument, session_id: 'The id of the session.' },
  },
  {
    name: 'revoke-all',
    about: 'Ends all sessions of a user, who can sign in again.',
    method: 'session.revokeUserSessions',
    args: userArgument,
  },
]);

const users = groupOf('users', 'Manages the people who sign in.', [
  {
    name: 'list',
    about: 'Lists the users.',
    method: 'user.listUsers',
    fields: {
      email: { value: 'address', about: 'Only the user with this email address.' },
      kind: { value: 'kind', values: kinds, about: 'Only users of this kind.' },
      ...showDeletedField,
    },
    columns: [
      ...(['id', 'email', 'name', 'kind', 'scopes', 'totp_enabled', 'disable_time'] as const),
      'delete_time',
    ],
  },
  { name: 'get', about: 'Shows a user.', method: 'user.getUser', args: userOrMe },
  {
    name: 'create',
    about: 'Creates a user.',
    method: 'user.createUser',
    isCreating: true,
    args: { email: 'The email address.' },
    fields: {
      kind: { value: 'kind', values: kinds, about: 'The kind of the user.' },
      name: nameField,
      password: passwordField,
      scopes: scopesField,
    },
    examples: ['users create ada@example.com --kind member --password'],
  },
  {
    name: 'update',
    about: 'Changes the name, the email address or the scopes of a user.',
    method: 'user.updateUser',
    args: userOrMe,
    fields: {
      email: { value: 'address', about: 'The email address.' },
      name: nameField,
      scopes: scopesField,
      ...etagField,
    },
  },
  {
    name: 'disable',
    about: 'Disables a user: all sessions end, and sign-ins fail.',
    method: 'user.disableUser',
    args: userArgument,
  },
  { name: 'enable', about: 'Enables a user.', method: 'user.enableUser', args: userArgument },
  {
    name: 'delete',
    about: 'Deletes a user, who is erased after 7 days. Until then, it can be undone.',
    method: 'user.deleteUser',
    args: userOrMe,
    undo: 'users undelete',
  },
  {
    name: 'undelete',
    about: 'Restores a deleted user.',
    method: 'user.undeleteUser',
    args: userArgument,
  },
  {
    name: 'access',
    about: 'Shows everything by which a user has access.',
    method: 'userAccess.getUserAccess',
    args: userArgument,
  },
  {
    name: 'revoke-access',
    about: 'Ends all access of a user who leaves, or parts of it.',
    method: 'userAccess.revokeAllAccess',
    args: userArgument,
    fields: {
      parts: {
        name: 'part',
        value: 'part',
        values: ['sign_in', 'roles', 'credentials', 'links', 'invitations'],
        isList: true,
        about: 'Only this part.',
      },
      validate_only: { about: 'Shows what would end, and changes nothing.' },
    },
    examples: ['users revoke-access usr_… --validate-only'],
  },
  {
    name: 'set-password',
    about: 'Sets the password of a user.',
    details:
      'Your own password also needs the current one. Without a terminal, the standard input has ' +
      'the current password on the first line and the new one on the next.',
    method: 'user.setPassword',
    args: userOrMe,
    fields: {
      current_password: {
        isSecret: true,
        about: 'Asks for your current password, or reads it from the standard input.',
      },
      password: passwordField,
    },
    examples: [
      'users set-password usr_… --password',
      'users set-password usr_… --current-password --password',
    ],
  },
  {
    name: 'mail-password-link',
    about: 'Mails a user a link to choose a password.',
    details: 'The link works once and expires after seven days.',
    method: 'user.mailPasswordLink',
    isCreating: true,
    args: userArgument,
    examples: ['users mail-password-link usr_…'],
  },
  exportUserCommand,
  totp,
  passkeys,
  userSessions,
  userIdentities,
]);

const passwordReset = groupOf('password-reset', 'Replaces a forgotten password.', [
  {
    name: 'request',
    about: 'Sends a mail with a token, if a user has the address.',
    method: 'passwordReset.requestPasswordReset',
    args: { email: 'The email address.' },
    isPublic: true,
    examples: ['password-reset request ada@example.com --server https://keys.example.com'],
  },
  {
    name: 'finish',
    about: 'Sets a new password with the token in the mail, and ends all sessions.',
    details:
      'Without a terminal, the standard input has the token on the first line and the password ' +
      'on the next.',
    method: 'passwordReset.resetPassword',
    fields: {
      token: {
        isSecret: true,
        about: 'Asks for the token in the mail, or reads it from the standard input.',
      },
      password: passwordField,
    },
    isPublic: true,
    examples: ['password-reset finish --server https://keys.example.com --token --password'],
  },
]);

const sessions = groupOf('sessions', 'Manages your sessions.', [
  {
    name: 'list',
    about: 'Lists your sessions.',
    method: 'session.listSessions',
    columns: [...sessionColumns, 'current'],
  },
  {
    name: 'revoke',
    about: 'Ends one of your sessions.',
    method: 'session.revokeSession',
    args: { session_id: 'The id of the session.' },
  },
]);

export const userCommands: readonly Command[] = [users, sessions, passwordReset];
