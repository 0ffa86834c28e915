import { useSessionState } from '../../session/session-context.tsx';
import { areasOf } from './management-scopes.ts';
import { ScopesField, type ScopesInput } from './scopes-field.tsx';

type StaffScopesFieldProps = ScopesInput & {
  /** The current scopes, which can be kept even if the user could not grant them. */
  readonly held?: readonly string[];
};

/** The scopes of staff, all of which the user must have to grant them. */
export function StaffScopesField({ held = [], ...field }: StaffScopesFieldProps) {
  const state = useSessionState();
  const own = state.status === 'in' ? [...state.scopes] : [];
  const offered = new Set([...own, ...held].filter((scope) => scope.includes(':')));
  return (
    <ScopesField
      {...field}
      description="For all workspaces. You can grant scopes you have."
      areas={areasOf(offered)}
      canGrant={(scope) => offered.has(scope)}
    />
  );
}
