/** The filter for the document or the folder that a link opens. */
import { useQuery } from '@connectrpc/connect-query';
import { useParams } from '@tanstack/react-router';
import { lazy, useState } from 'react';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { FolderService } from '../../../gen/latchkey/sharing/v1/folder_pb.js';
import type { Entry } from '../folders/entries.ts';
import type { FilterFieldProps } from '../shared/lists/filters.ts';

const TargetField = lazy(async () => ({
  default: (await import('./share/target-field.tsx')).TargetField,
}));

function useTarget(id: string): Entry | undefined {
  const { workspaceId = '' } = useParams({ strict: false });
  const isFolder = id.startsWith('fld_');
  const document = useQuery(
    DocumentService.method.getDocument,
    { workspaceId, documentId: id },
    { enabled: id !== '' && !isFolder },
  );
  const folder = useQuery(
    FolderService.method.getFolder,
    { workspaceId, folderId: id },
    { enabled: isFolder },
  );
  return isFolder ? folder.data?.folder : document.data?.document;
}

/** The name, or the id until it is known. */
export const useTargetName = (id: string): string => useTarget(id)?.name ?? id;

export function TargetFilterField({ name, label, value = '' }: FilterFieldProps) {
  const { workspaceId = '' } = useParams({ strict: false });
  const [id, setId] = useState(value);
  const initial = useTarget(value);
  return (
    <>
      <input type="hidden" name={name} value={id} />
      <TargetField
        key={initial?.id ?? ''}
        {...{ workspaceId, label, initial }}
        choose={(target) => setId(target?.id ?? '')}
      />
    </>
  );
}
