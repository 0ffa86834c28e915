import { useHasScope } from '../session/session-context.tsx';
import { TextLink } from './router-links.tsx';

/** An ID, as a link if the user can open the resource. */
export function ResourceLink({ id }: { readonly id: string }) {
  const hasScope = useHasScope();
  const text = <span className="mono">{id}</span>;
  if (id.startsWith('cli_') && hasScope('clients:read')) {
    return (
      <TextLink to="/clients/$clientId" params={{ clientId: id }}>
        {text}
      </TextLink>
    );
  }
  if (id.startsWith('cus_') && hasScope('customers:read')) {
    return (
      <TextLink to="/customers/$customerId" params={{ customerId: id }}>
        {text}
      </TextLink>
    );
  }
  if (id.startsWith('usr_') && hasScope('users:read')) {
    return (
      <TextLink to="/users/$userId" params={{ userId: id }}>
        {text}
      </TextLink>
    );
  }
  if (id.startsWith('ws_') && hasScope('workspaces:read')) {
    return (
      <TextLink to="/workspaces/$workspaceId/documents" params={{ workspaceId: id }}>
        {text}
      </TextLink>
    );
  }
  return text;
}
