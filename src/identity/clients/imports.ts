// The ids and secrets that new clients keep from another authorization server.
import type { HandlerContext } from '@connectrpc/connect';
import { Code } from '@connectrpc/connect';
import type { ImportedSecret } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import { isForeignClientId, newId, type Random } from '../../base/crypto/ids.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { type CreatedCredential, generateCredentialFor } from '../../credentials/credentials.ts';
import { storedImport } from '../../credentials/imported/secrets.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import { findClient, findClientIds } from './store.ts';

/** A secret that someone else chose is weaker than a generated one: so only staff can import it. */
function requireStaff(context: HandlerContext, field: string): void {
  if (principalOf(context).type === 'staff') return;
  throw fail('forbidden', `Only staff may set ${field}.`);
}

/** Returns the id of a new client: the given one, or else a new one. */
export function clientIdFrom(context: HandlerContext, given: string, random: Random): string {
  if (given === '') return newId('cli', random);
  requireStaff(context, 'client_id');
  if (isForeignClientId(given)) return given;
  throw invalid(
    'client_id',
    'must not be a reserved word or have the form of an id of the service',
  );
}

export async function requireFreeId(trx: Executor, id: string): Promise<void> {
  if ((await findClient(trx, id)) === undefined) return;
  const detail = 'client_id: Another client has this id.';
  throw fail('conflict', detail, { grpc: Code.AlreadyExists });
}

const ownSubject = /^(service|customer|staff|member|(cli|cus|usr)_[0-9A-Za-z]{22})$/;

/** The id of an imported client has no fixed form, so only a lookup finds a wrong one. */
export async function requireKnownSubjects(
  trx: Executor,
  mayAct: string | null | undefined,
): Promise<void> {
  const foreign = [...parseStoredScopes(mayAct ?? '')].filter((id) => !ownSubject.test(id));
  if (foreign.length === 0) return;
  const known = await findClientIds(trx, foreign);
  const unknown = foreign.find((id) => !known.has(id));
  if (unknown === undefined) return;
  throw invalid('may_act', `${unknown} is neither a kind of subject nor the id of one`);
}

/** Returns the given secret with an empty `text`, or a generated one. */
export function secretFrom(
  context: HandlerContext,
  given: ImportedSecret | undefined,
  random: Random,
): CreatedCredential & { readonly text: string } {
  if (given === undefined) return generateCredentialFor(context, 'cs', random);
  requireStaff(context, 'imported_secret');
  return {
    id: newId('sec', random),
    text: '',
    creatorId: principalId(principalOf(context)),
    ...storedImport('imported_secret', given),
  };
}
