import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type ReactNode, useState } from 'react';
import { type Document, DocumentService } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Entry, isFolder, useFolders, useFoldersFirst } from '../../folders/entries.ts';
import { type PagedList, usePagedList } from '../../shared/lists/use-paged-list.ts';
import { SearchSelect } from '../../shared/search-select.tsx';

type TargetFieldProps = {
  readonly workspaceId: string;
  readonly label?: string;
  /** The target that is chosen at first. */
  readonly initial?: Entry | undefined;
  readonly isRequired?: boolean;
  readonly error?: ReactNode;
  readonly choose: (target: Entry | undefined) => void;
};

/** Chooses a document or a folder. */
export function TargetField(props: TargetFieldProps) {
  const { workspaceId, label = 'Document or folder', initial, isRequired = false } = props;
  const [chosen, setChosen] = useState(initial);
  const documents: PagedList<Entry> = usePagedList(
    DocumentService.method.listDocuments,
    { workspaceId, pageSize: 50 },
    documentsOf,
    { name: null },
  );
  const query = documents.search?.query ?? '';
  const list = useFoldersFirst(useFolders({ workspaceId, query }), documents);
  return (
    <SearchSelect
      label={label}
      {...(isRequired ? { required: true, 'data-autofocus': true } : { clearable: true })}
      data-path="documentId"
      placeholder="Search"
      error={props.error}
      list={list}
      chosen={chosen}
      choose={(target) => {
        setChosen(target);
        props.choose(target);
      }}
      idOf={({ id }) => id}
      labelOf={labelOf}
    />
  );
}

const documentsOf = ({ documents }: { readonly documents: readonly Document[] }) => documents;

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Includes the date, because names are not unique. */
function labelOf(entry: Entry): string {
  const { name, createTime } = entry;
  const kind = isFolder(entry) ? ['Folder'] : [];
  const date = createTime === undefined ? [] : [day.format(timestampDate(createTime))];
  return [name, ...kind, ...date].join(' · ');
}
