/** Who read a document, which pages, for how long, and when. */
import { ReadersSection } from '../../readers/readers-section.tsx';
import { ReadersTable } from '../../readers/readers-table.tsx';
import { useList } from '../../shared/lists/define-list.ts';
import { isEmptyList } from '../../shared/lists/listing.tsx';
import { useShownDocument } from '../shown-document.ts';
import { documentViews, emptyText } from './document-views.tsx';

export function ReadersTab() {
  const document = useShownDocument();
  const { workspaceId, id: documentId, name } = document;
  const list = useList(documentViews, { workspaceId, documentId });
  return (
    <ReadersSection
      path={`/documents/${documentId}`}
      workspaceId={workspaceId}
      name={name}
      hasViews={!isEmptyList(list)}
    >
      <ReadersTable list={list} document={document} emptyText={emptyText} />
    </ReadersSection>
  );
}

ReadersTab.reads = [documentViews];
