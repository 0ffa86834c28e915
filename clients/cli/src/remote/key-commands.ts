// The commands for audiences and signing keys.
import type { Command } from '../base/command.ts';
import { groupOf } from './call-command.ts';
import { nameField } from './client-commands.ts';

const kid = { kid: 'The id of the signing key.' };

const keys = groupOf('keys', 'Manages the signing keys.', [
  {
    name: 'list',
    about: 'Lists the signing keys.',
    method: 'signingKey.listSigningKeys',
    columns: ['kid', 'state', 'create_time', 'ready_time', 'activate_time', 'retire_time'],
  },
  {
    name: 'create',
    about: 'Creates and publishes a key, which does not sign yet.',
    method: 'signingKey.createSigningKey',
    isCreating: true,
  },
  {
    name: 'activate',
    about: 'Activates a key and retires the active key.',
    method: 'signingKey.activateSigningKey',
    args: kid,
    fields: { force: { about: 'Activates the key before all verifiers can know it.' } },
  },
  {
    name: 'revoke',
    about: 'Revokes a leaked key: all of its tokens become invalid.',
    method: 'signingKey.revokeSigningKey',
    args: kid,
    question: 'Every token of this key becomes invalid. Revoke it?',
  },
]);

const audience = { audience_id: 'The id of the audience.' };

const audiences = groupOf('audiences', 'Manages the services that tokens are for.', [
  {
    name: 'list',
    about: 'Lists the audiences.',
    method: 'audience.listAudiences',
    columns: ['id', 'identifier', 'name', 'create_time'],
  },
  { name: 'get', about: 'Shows an audience.', method: 'audience.getAudience', args: audience },
  {
    name: 'create',
    about: 'Creates an audience.',
    method: 'audience.createAudience',
    isCreating: true,
    args: {
      identifier: 'The `aud` of the tokens: an absolute URI.',
      name: 'The display name.',
    },
    examples: ['audiences create https://payments.example.com Payments'],
  },
  {
    name: 'update',
    about: 'Changes the name of an audience.',
    method: 'audience.updateAudience',
    args: audience,
    fields: { name: nameField },
  },
  {
    name: 'delete',
    about: 'Deletes an audience that no client and no customer has.',
    method: 'audience.deleteAudience',
    args: audience,
    question: 'Every token for the audience becomes invalid. Delete it?',
  },
]);

export const keyCommands: readonly Command[] = [audiences, keys];
