// Connects the features of this module, and the sharing module, with the method that ends all
// access of a user.
import type { SharedAccess } from '../api/access/access-source.ts';
import { createdCredentials } from '../credentials/store.ts';
import { newestQuery } from '../storage/newest-rows.ts';
import type { SessionRow } from '../storage/schema.ts';
import { endSessionsOf } from '../storage/users.ts';
import { audienceAccess } from './audiences/store.ts';
import { clientAccess, countCreatedClients, findTokenSeconds } from './clients/store.ts';
import { countCreatedCustomers } from './customers/store.ts';
import { findPasskeys } from './passkeys/store.ts';
import { deleteIdentities, findIdentities, providerAccess } from './providers/store.ts';
import { findSessions } from './sessions/store.ts';
import { browserNames } from './sessions/user-agent.ts';
import { issuerAccess } from './trusted-issuers/store.ts';
import type { UserAccessOptions } from './users/access-service.ts';
import { deletePasskeys } from './users/store.ts';

type Connected = Omit<UserAccessOptions, 'db' | 'auditLog' | 'rolesOf' | 'now'>;

/** `tokenSeconds`: the lifetime of the tokens of clients that do not set one. */
export function connectAccess(shared: SharedAccess, tokenSeconds: number): Connected {
  return {
    shared,
    countClients: countCreatedClients,
    countCustomers: countCreatedCustomers,
    tokenSecondsOf: (trx, user, time) =>
      findTokenSeconds(trx, user, { time, standard: tokenSeconds }),
    keptSources: {
      identityProviders: providerAccess,
      trustedIssuers: issuerAccess,
      audiences: audienceAccess,
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
