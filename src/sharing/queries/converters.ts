// The processes of the deployment that convert Office files. Each of them holds leases for this.

import { hasRow } from '../../storage/queries/row-counts.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import { selectHeld } from '../../storage/upkeep/leases.ts';

const prefix = 'previews ';

/** The name of the lease for one of the files that a node converts at a time. */
export const converterLease = (node: string, slot: number) => `${prefix}${node} ${slot}`;

/** Returns whether a process of the deployment converts files. */
export function hasConverter(db: Executor): Promise<boolean> {
  return hasRow(selectHeld(db).where('name', 'like', `${prefix}%`));
}
