import type { Authenticate } from '../api/authentication.ts';
import type { CredentialDirectory } from './directory.ts';

/** Authenticates the API keys of workspaces. */
export function workspaceKeyAuthenticator(directory: CredentialDirectory): Authenticate {
  return async (text, validAt) => {
    const key = await directory.authenticate('wk', text, { validAt });
    if (key === undefined) return undefined;
    const { id, ownerId, scopes } = key;
    return { type: 'workspace_key', keyId: id, workspaceId: ownerId, scopes };
  };
}
