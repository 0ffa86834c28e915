// Records that the service has deleted a resource for good.
import { newId } from '../base/crypto/ids.ts';
import type { PurgedTable, PurgeOptions } from '../storage/upkeep/purge.ts';
import { type AuditLogOptions, systemOrigin } from './audit-log.ts';
import { insertEvent } from './store.ts';

/** In the form of the names of methods. */
const actions: Readonly<Record<PurgedTable, string>> = {
  clients: 'ClientService.PurgeClient',
  customers: 'CustomerService.PurgeCustomer',
  users: 'UserService.PurgeUser',
  workspaces: 'WorkspaceService.PurgeWorkspace',
};

export function purgeRecorder({
  random,
  now,
}: Pick<AuditLogOptions, 'random' | 'now'>): PurgeOptions['record'] {
  return (trx, table, id) =>
    insertEvent(trx, {
      ...{ id: newId('evt', random), create_time: now(), action: actions[table], target: id },
      ...{ ...systemOrigin, code: 'ok', reason: '', count: 1 },
    });
}
