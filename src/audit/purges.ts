// Records that the service has deleted a resource for good.
import type { Clock } from '../base/clock.ts';
import { newId, type Random } from '../base/crypto/ids.ts';
import type { PurgedTable, PurgeOptions } from '../storage/purge.ts';
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
}: {
  readonly random: Random;
  readonly now: Clock;
}): PurgeOptions['record'] {
  return (trx, table, id) =>
    insertEvent(trx, {
      ...{ id: newId('evt', random), create_time: now(), action: actions[table], target: id },
      ...{ actor_type: 'system', actor_id: '', acting_client: '', code: 'ok', reason: '' },
      ...{ count: 1, token_id: '', request_id: '', address: '' },
    });
}
