import { beforeAll } from 'vitest';
import { managementScopes } from '../../src/api/access/scopes.ts';
import type { Suite } from './app-suite.ts';
import { credentialFor, memberScope } from './member-rows.ts';
import { addUser } from './user-rows.ts';

export const allScopes = managementScopes.join(' ');

/** A staff user with all management scopes, and the credentials of other users. */
export function useAdministrator(suite: Suite) {
  let admin: { readonly authorization: string };
  const caller = (sub: string, type: 'staff' | 'member' = 'staff') =>
    credentialFor(suite.testApp, { type, sub, scope: type === 'staff' ? allScopes : memberScope });
  beforeAll(async () => {
    const { id } = await addUser(suite.app.inside.db, { kind: 'staff', scopes: allScopes });
    admin = await caller(id);
  });
  return { caller, admin: () => admin };
}
