// The commands for the API keys of a workspace.
import { groupOf } from './call-command.ts';
import { credentialColumns, expireField, scopesField } from './common-fields.ts';

const isInWorkspace = true;

export const apiKeys = groupOf('api-keys', 'Manages the API keys of a workspace.', [
  {
    name: 'list',
    about: 'Lists the API keys.',
    method: 'apiKey.listApiKeys',
    columns: credentialColumns,
    isInWorkspace,
  },
  {
    name: 'create',
    about: 'Creates an API key and prints it once.',
    method: 'apiKey.createApiKey',
    isCreating: true,
    args: { name: 'The display name.' },
    fields: { scopes: scopesField, expire_time: expireField },
    examples: ['api-keys create uploader --scope documents:write --scope links:write'],
    isInWorkspace,
  },
  {
    name: 'rotate',
    about: 'Creates a key with the scopes of an old key, which expires after an overlap.',
    method: 'apiKey.rotateApiKey',
    isCreating: true,
    args: { key_id: 'The id of the old key.' },
    fields: { overlap_seconds: { value: 'seconds', about: 'How long the old key still works.' } },
    isInWorkspace,
  },
  {
    name: 'revoke',
    about: 'Revokes a key.',
    method: 'apiKey.revokeApiKey',
    args: { key_id: 'The id of the key.' },
    isInWorkspace,
  },
]);
