import { useSessionState } from '../session/session-context.tsx';
import { ScopesField, type ScopesFieldProps } from '../shared/scopes-field.tsx';

/** Suggests the management scopes of the user, who cannot grant any others. */
export function GrantedScopesField(props: ScopesFieldProps) {
  const state = useSessionState();
  const held = state.status === 'in' ? [...state.scopes].sort() : [];
  return (
    <ScopesField
      suggestions={held}
      suggestionsLabel="Latchkey scopes that you can grant"
      {...props}
    />
  );
}
