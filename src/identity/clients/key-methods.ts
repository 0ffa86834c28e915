// The methods that manage the public keys of clients.
import type { ServiceImpl } from '@connectrpc/connect';
import type { ClientService, PublicJwk } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { printableName, readExpireTime } from '../../api/fields.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import type { ManagementOptions } from '../../audit/audit-log.ts';
import { nameCreators } from '../../audit/names/creators.ts';
import { newId } from '../../base/crypto/ids.ts';
import { fail } from '../../base/errors/errors.ts';
import { describeCredential } from '../../credentials/credentials.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { ClientKeyRow, ClientRow } from '../../storage/schema/schema.ts';
import { lockToChange, lockToEnd } from './clients.ts';
import {
  clientKeyList,
  findClientKeys,
  findLiveClientKeys,
  insertClientKey,
  revokeClientKey,
} from './store.ts';

const liveMax = 10;

export type ClientKeyOptions = ManagementOptions & {
  /** Throws `invalid_argument` unless it is a public key. */
  readonly checkJwk: (given: PublicJwk) => { readonly jwk: object; readonly thumbprint: string };
  /** Returns the client. Throws `not_found`. */
  readonly requireClient: (id: string) => Promise<ClientRow>;
};

export type ClientKeyMethods = Pick<
  ServiceImpl<typeof ClientService>,
  'createClientKey' | 'listClientKeys' | 'revokeClientKey'
>;

export function createClientKeyMethods(options: ClientKeyOptions): ClientKeyMethods {
  const { db, auditLog, checkJwk, requireClient, random, now } = options;

  const message = (row: ClientKeyRow) => ({
    ...describeCredential(row, now()),
    clientId: row.client_id,
    jwk: JSON.parse(row.jwk),
    thumbprint: row.thumbprint,
  });

  return {
    async createClientKey({ clientId, jwk: given, name, expireTime }, context) {
      if (given === undefined) throw fail('invalid_argument', 'jwk: is required');
      const { jwk, thumbprint } = checkJwk(given);
      const time = now();
      const row: ClientKeyRow = {
        id: newId('jwk', random),
        client_id: clientId,
        name: printableName(name),
        jwk: JSON.stringify(jwk),
        thumbprint,
        create_time: time,
        expire_time: readExpireTime(expireTime, time),
        revoke_time: null,
        last_used_time: null,
        creator_id: principalId(principalOf(context)),
      };
      return auditLog.create(context, { target: row.id }, async (trx) => {
        await lockToChange(trx, context, clientId);
        const live = await findLiveClientKeys(trx, clientId, time);
        if (live.length >= liveMax) {
          throw fail('conflict', `The client already has ${liveMax} live keys.`);
        }
        if (live.some((other) => other.thumbprint === thumbprint)) {
          throw fail('conflict', 'The client already has this key.');
        }
        await insertClientKey(trx, row);
        return { key: message(row) };
      });
    },

    async listClientKeys(request, context) {
      await requireClient(request.clientId);
      const query = parseListRequest(request, clientKeyList.sorts, context.signal);
      const { rows, ...page } = await findClientKeys(db, request.clientId, query);
      return { keys: await nameCreators(db, context, rows.map(message)), ...page };
    },

    async revokeClientKey({ clientId, keyId }, context) {
      await auditLog.change(context, { target: keyId }, async (trx) => {
        await lockToEnd(trx, context, clientId);
        if (await revokeClientKey(trx, clientId, keyId, now())) return;
        throw fail('not_found', 'The client has no such key.');
      });
      return {};
    },
  };
}
