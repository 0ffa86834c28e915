import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Button, NativeSelect } from '@mantine/core';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { usePagedList } from '../shared/use-paged-list.ts';
import type { LinkForm } from './link-form.ts';

type DocumentFieldProps = { readonly workspaceId: string; readonly form: LinkForm };

export function DocumentField({ workspaceId, form }: DocumentFieldProps) {
  const { listDocuments } = DocumentService.method;
  const { rows, error, ...list } = usePagedList(
    listDocuments,
    { workspaceId, pageSize: 50 },
    ({ documents }) => documents,
  );
  const prompt = rows === undefined ? 'Loading…' : 'Choose a document';
  return (
    <div>
      {error === null ? null : <ErrorAlert error={error} retry={list.reload} />}
      <NativeSelect
        label="Document"
        required
        data-autofocus
        data={[{ value: '', label: prompt }, ...(rows ?? []).map(optionOf)]}
        {...form.getInputProps('documentId')}
      />
      {list.hasMore ? (
        <Button
          variant="subtle"
          size="compact-sm"
          mt={4}
          loading={list.isLoadingMore}
          onClick={list.loadMore}
        >
          Load older documents
        </Button>
      ) : null}
    </div>
  );
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Includes the upload date, because names are not unique. */
function optionOf({ id, name, createTime }: Document) {
  if (createTime === undefined) return { value: id, label: name };
  return { value: id, label: `${name} · ${day.format(timestampDate(createTime))}` };
}
