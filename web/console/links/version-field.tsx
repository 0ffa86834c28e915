import { timestampDate } from '@bufbuild/protobuf/wkt';
import { NativeSelect } from '@mantine/core';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { formatDateTime } from '../shared/date-time.tsx';
import { usePagedList } from '../shared/lists/use-paged-list.ts';
import type { LinkForm } from './link-form.ts';

export type VersionFieldProps = { readonly form: LinkForm; readonly workspaceId: string };

/** A document has at most as many versions. */
const versionsMax = 100;

/** Which version of the document the link shows. */
export function VersionField({ form, workspaceId }: VersionFieldProps) {
  const { documentId } = form.values;
  const { rows = [] } = usePagedList(
    DocumentService.method.listVersions,
    { workspaceId, documentId, pageSize: versionsMax },
    ({ versions }) => versions,
    { name: null, enabled: documentId !== '' },
  );
  const field = form.getInputProps('pinnedVersion');
  if (documentId === '') return null;
  const choices = rows.map(({ version, createTime }) => ({
    value: String(version),
    label:
      createTime === undefined
        ? `Only version ${version}`
        : `Only version ${version} · ${formatDateTime(timestampDate(createTime), 'minute')}`,
  }));
  const isListed = choices.some(({ value }) => value === field.value) || field.value === '0';
  return (
    <NativeSelect
      label="Version"
      description="A new version appears behind the same link, unless you choose one here."
      data={[
        { value: '0', label: 'Always the current version' },
        ...(isListed ? [] : [{ value: field.value, label: `Only version ${field.value}` }]),
        ...choices,
      ]}
      {...field}
    />
  );
}
