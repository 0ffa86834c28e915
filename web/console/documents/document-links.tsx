import { Button } from '@mantine/core';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { CreateLinkDialog } from '../links/create-link-dialog.tsx';
import { documentLinks, LinksTable } from '../links/links-table.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { useList } from '../shared/lists/define-list.ts';
import { Section } from '../shared/section.tsx';

export function DocumentLinks({ document }: { readonly document: Document }) {
  const { workspaceId } = document;
  const hasScope = useHasScope();
  const { open } = useDialogs();
  const mayRead = hasScope('links:read');
  const list = useList(
    documentLinks,
    { workspaceId, documentId: document.id },
    { enabled: mayRead },
  );
  if (!mayRead) return null;
  const button = hasScope('links:write') ? (
    <Button
      variant="default"
      onClick={() => open(<CreateLinkDialog workspaceId={workspaceId} document={document} />)}
    >
      Create link
    </Button>
  ) : undefined;
  return (
    <Section title="Links" actions={button}>
      <LinksTable list={list} />
    </Section>
  );
}
