import { useSessionState } from '../session/session-context.tsx';
import { areasOf, isManagementArea } from '../shared/scopes/management-scopes.ts';
import { ScopesField, type ScopesInput } from '../shared/scopes/scopes-field.tsx';
import { useAreasInUse } from '../shared/scopes/use-areas-in-use.ts';

type ClientScopesFieldProps = ScopesInput & {
  /** The current scopes of the client. */
  readonly held?: readonly string[];
};

/** The management scopes that the user can grant or remove, and all other areas. */
export function ClientScopesField({ held = [], ...field }: ClientScopesFieldProps) {
  const state = useSessionState();
  const own: ReadonlySet<string> = state.status === 'in' ? state.scopes : new Set();
  return (
    <ScopesField
      {...field}
      areas={areasOf([...own, ...held]).filter(isManagementArea)}
      canGrant={(scope) => own.has(scope)}
      areasInUse={useAreasInUse()}
    />
  );
}
