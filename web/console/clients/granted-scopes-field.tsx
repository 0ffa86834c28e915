import { useSessionState } from '../session/session-context.tsx';
import { ScopesField, type ScopesFieldProps } from '../shared/scopes-field.tsx';

/** Offers those of the service's own scopes that the user holds: no others are theirs to give. */
export function GrantedScopesField(props: ScopesFieldProps) {
  const state = useSessionState();
  const held = state.status === 'in' ? [...state.scopes].sort() : [];
  return (
    <ScopesField
      suggestions={held}
      suggestionsLabel="Scopes of Latchkey itself that you may grant"
      {...props}
    />
  );
}
