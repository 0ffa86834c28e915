// The row types of custom domains; schema.ts describes how values are stored.
import type { Generated } from 'kysely';
import type { Created } from './sharing-rows.ts';

export type DomainRow = {
  id: string;
  workspace_id: string;
  /** Several workspaces can have a name, and one of them can have verified it. */
  name: string;
  txt_value: string;
  /** At most one domain of a workspace. */
  is_primary: number;
  create_time: number;
  verify_time: number | null;
  creator_id: string | null;
};

export type DomainTables = {
  domains: Created<DomainRow> & {
    /** When a verified domain was deleted. The row stays so that its URLs do not work. */
    remove_time: Generated<number | null>;
  };
};
