import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type ReactNode, useState } from 'react';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { usePagedList } from '../shared/lists/use-paged-list.ts';
import { SearchSelect } from '../shared/search-select.tsx';

type DocumentFieldProps = {
  readonly workspaceId: string;
  readonly error: ReactNode;
  readonly choose: (document: Document | undefined) => void;
};

export function DocumentField({ workspaceId, error, choose }: DocumentFieldProps) {
  const [chosen, setChosen] = useState<Document>();
  const list = usePagedList(
    DocumentService.method.listDocuments,
    { workspaceId, pageSize: 50 },
    ({ documents }) => documents,
    { name: null },
  );
  return (
    <SearchSelect
      label="Document"
      required
      data-autofocus
      data-path="documentId"
      placeholder="Search documents"
      error={error}
      list={list}
      chosen={chosen}
      choose={(document) => {
        setChosen(document);
        choose(document);
      }}
      idOf={({ id }) => id}
      labelOf={labelOf}
    />
  );
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Includes the upload date, because names are not unique. */
function labelOf({ name, createTime }: Document): string {
  return createTime === undefined ? name : `${name} · ${day.format(timestampDate(createTime))}`;
}
