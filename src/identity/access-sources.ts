// Connects the features of this module, and the sharing module, with the method that ends all
// access of a user.
import type { SharedAccess } from '../api/access/access-source.ts';
import { createdCredentials } from '../credentials/store.ts';
import { countCreated, createdRows, newestQuery } from '../storage/queries/newest-rows.ts';
import { endSessionsOf } from '../storage/queries/users.ts';
import type { SessionRow } from '../storage/schema/schema.ts';
import { clientAccess, findTokenSeconds } from './clients/store.ts';
import { findPasskeys } from './passkeys/store.ts';
import { deleteIdentities, findIdentities } from './providers/store.ts';
import { findSessions } from './sessions/store.ts';
import { browserNames } from './sessions/user-agent.ts';
import type { UserAccessOptions } from './users/access-service.ts';
import { deletePasskeys } from './users/store.ts';

type Connected = Omit<UserAccessOptions, 'db' | 'auditLog' | 'rolesOf' | 'now'>;

/** `tokenSeconds`: the lifetime of the tokens of clients that do not set one. */
export function connectAccess(shared: SharedAccess, tokenSeconds: number): Connected {
  return {
    shared,
    countClients: countCreated('clients'),
    countCustomers: countCreated('customers'),
    tokenSecondsOf: (trx, user, time) =>
      findTokenSeconds(trx, user, { time, standard: tokenSeconds }),
    keptSources: {
      identityProviders: createdRows('identity_providers'),
      trustedIssuers: createdRows('trusted_issuers'),
      audiences: createdRows('audiences'),
    },
    sources: {
      ...shared.sources,
      ...clientAccess,
      customerKeys: {
        ...createdCredentials('ck'),
        scopesToEnd: async () => ['customers:write'],
      },
      workspaceKeys: {
        ...createdCredentials('wk'),
        scopesToEnd: async () => ['api_keys:write'],
      },
      sessions: {
        async find(db, { id }, time) {
          const { rows, totalSize } = await findSessions(db, id, time, newestQuery);
          return { rows: rows.map(describeSession), totalSize };
        },
        end: (trx, { id }, time) => endSessionsOf(trx, id, { time }),
      },
      passkeys: {
        async find(db, { id }) {
          const rows = await findPasskeys(db, id);
          return { rows, totalSize: rows.length };
        },
        end: (trx, { id }) => deletePasskeys(trx, id),
      },
      identities: {
        async find(db, { id }) {
          const found = await findIdentities(db, id);
          const rows = found.map((row) => ({ ...row, detail: row.provider_name }));
          return { rows, totalSize: rows.length };
        },
        end: (trx, { id }) => deleteIdentities(trx, id),
      },
    },
  };
}

/** A session is recognized by its browser and its network. */
function describeSession(row: SessionRow) {
  const { browser, device } = browserNames(row.user_agent);
  return { ...row, name: [browser, device].filter(Boolean).join(' on '), detail: row.address };
}
