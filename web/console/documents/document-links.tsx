import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { CreateLinkDialog } from '../links/create-link-dialog.tsx';
import { LinksTable } from '../links/links-table.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { Section } from '../shared/section.tsx';

export function DocumentLinks({ document }: { readonly document: Document }) {
  const { workspaceId } = document;
  const hasScope = useHasScope();
  const [isOpen, { open, close }] = useDisclosure(false);
  if (!hasScope('links:read')) return null;
  const button = hasScope('links:write') ? (
    <Button variant="default" onClick={open}>
      Create link
    </Button>
  ) : undefined;
  return (
    <Section title="Links" actions={button}>
      <LinksTable workspaceId={workspaceId} document={document} />
      <CreateLinkDialog
        workspaceId={workspaceId}
        document={document}
        isOpen={isOpen}
        close={close}
      />
    </Section>
  );
}
