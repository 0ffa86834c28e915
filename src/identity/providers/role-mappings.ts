// The grants of groups at a provider: scopes of staff, and roles of members in workspaces.
import { MappedRole, type RoleMapping } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { invalid } from '../../base/errors/errors.ts';
import type { Executor } from '../../storage/schema/schema.ts';

export type WorkspaceRole = 'admin' | 'member';

/** The roles of workspaces, which belong to another module. */
export type MappedRoles = {
  /** The ids of the workspaces that do not exist. */
  findMissing(db: Executor, workspaceIds: readonly string[]): Promise<readonly string[]>;
  /**
   * Gives a user these roles, and removes the user from the other ones of `workspaceIds`. Keeps an
   * owner. Returns whether a role has changed.
   */
  apply(
    trx: Executor,
    userId: string,
    roles: ReadonlyMap<string, WorkspaceRole>,
    workspaceIds: readonly string[],
  ): Promise<boolean>;
  /**
   * Removes the users whose grants a provider manages from these workspaces, except owners. Returns
   * the id of a user for each role that ended.
   */
  end(
    trx: Executor,
    providerId: string,
    workspaceIds: readonly string[],
  ): Promise<readonly string[]>;
};

type StoredMapping = {
  readonly group: string;
  readonly scopes: readonly string[];
  readonly workspaceId: string;
  readonly role: WorkspaceRole | '';
};

const roles: Readonly<Record<MappedRole, WorkspaceRole | ''>> = {
  [MappedRole.UNSPECIFIED]: '',
  [MappedRole.MEMBER]: 'member',
  [MappedRole.ADMIN]: 'admin',
};

const protoRoles = {
  '': MappedRole.UNSPECIFIED,
  member: MappedRole.MEMBER,
  admin: MappedRole.ADMIN,
};

/** Throws `invalid_argument` unless each mapping grants either scopes or a role. */
export function storeMappings(mappings: readonly RoleMapping[]): string {
  const stored = mappings.map(({ group, scopes, workspaceId, role: given }, i): StoredMapping => {
    const role = roles[given];
    const hasRole = role !== '' && workspaceId !== '';
    const hasPartOfRole = role !== '' || workspaceId !== '';
    if (scopes.length > 0 ? hasPartOfRole : !hasRole) {
      const either = 'must have either scopes, or a workspace_id with a role';
      throw invalid('role_mappings', `entry ${i + 1} ${either}`);
    }
    return { group, scopes: [...new Set(scopes)], workspaceId, role };
  });
  return JSON.stringify(stored);
}

// Only `storeMappings` writes the column.
const parse = (text: string): readonly StoredMapping[] => JSON.parse(text);

export const mappingMessages = (text: string) =>
  parse(text).map(({ group, scopes, workspaceId, role }) => {
    return { group, scopes: [...scopes], workspaceId, role: protoRoles[role] };
  });

export const mappedScopes = (text: string) => parse(text).flatMap(({ scopes }) => scopes);

export const mappedWorkspaces = (text: string) => [
  ...new Set(parse(text).flatMap(({ workspaceId: id }) => (id === '' ? [] : [id]))),
];

export type MappedGrants = {
  readonly isStaff: boolean;
  /** Space-separated. */
  readonly scopes: string;
  readonly roles: ReadonlyMap<string, WorkspaceRole>;
  readonly workspaceIds: readonly string[];
};

export function grantsOfGroups(text: string, groups: readonly string[]): MappedGrants {
  const own = new Set(groups);
  const mappings = parse(text).filter(({ group }) => own.has(group));
  const scopes = new Set(mappings.flatMap((mapping) => mapping.scopes));
  const byWorkspace = new Map<string, WorkspaceRole>();
  for (const { workspaceId, role } of mappings) {
    if (role === '' || byWorkspace.get(workspaceId) === 'admin') continue;
    byWorkspace.set(workspaceId, role);
  }
  return {
    isStaff: scopes.size > 0,
    scopes: [...scopes].join(' '),
    roles: byWorkspace,
    workspaceIds: mappedWorkspaces(text),
  };
}
