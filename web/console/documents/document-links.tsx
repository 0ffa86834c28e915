import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { ButtonLink } from '../parts/link.tsx';
import { Section } from '../parts/section.tsx';
import { useHasScope } from '../session/context.tsx';

export function DocumentLinks({ document }: { readonly document: Document }) {
  const { workspaceId } = document;
  const hasScope = useHasScope();
  if (!hasScope('links:read')) return null;
  return (
    <Section title="Links">
      <ButtonLink to="/workspaces/$workspaceId/links" params={{ workspaceId }} variant="default">
        Links of the workspace
      </ButtonLink>
    </Section>
  );
}
