/** Who read a document, which pages, for how long, and when. */
import { ReadersSection } from '../../readers/readers-section.tsx';
import { ReadersTable } from '../../readers/readers-table.tsx';
import { useList } from '../../shared/lists/define-list.ts';
import { isEmptyList } from '../../shared/lists/listing.tsx';
import { useShownDocument } from '../shown-document.ts';
import { documentViews, emptyText } from './document-views.tsx';

export function ReadersTab() {
  const { workspaceId, id: documentId, pageCount, name } = useShownDocument();
  const list = useList(documentViews, { workspaceId, documentId });
  return (
    <ReadersSection
      path={`/documents/${documentId}`}
      workspaceId={workspaceId}
      name={name}
      hasViews={!isEmptyList(list)}
    >
      <ReadersTable list={list} pageCount={pageCount} emptyText={emptyText} />
    </ReadersSection>
  );
}

ReadersTab.reads = [documentViews];
