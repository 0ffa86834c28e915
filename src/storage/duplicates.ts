// Turns the violation of a unique column into an error of the API.
import { Code } from '@connectrpc/connect';
import { fail } from '../base/errors/errors.ts';
import { isUniqueViolation } from './database.ts';

/** Throws `conflict` if another resource has the external id. */
export function refuseExternalId(error: unknown): never {
  if (!isExternalIdTaken(error)) throw error;
  throw duplicate('external_id: Another resource of this kind has this external id.');
}

/** Like `refuseExternalId`, and throws `conflict` with `detail` for any other unique column. */
export function refuseDuplicateWith(detail: string): (error: unknown) => never {
  return (error) => {
    if (isUniqueViolation(error) && !isExternalIdTaken(error)) throw duplicate(detail);
    return refuseExternalId(error);
  };
}

const duplicate = (detail: string) => fail('conflict', detail, { grpc: Code.AlreadyExists });

/** Both databases name the column or its index in the message, and no value. */
const isExternalIdTaken = (error: unknown): boolean =>
  isUniqueViolation(error) && error instanceof Error && /[._]external_id\b/.test(error.message);
