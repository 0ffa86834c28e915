import { IconFileText } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { DocumentService } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { useHasScope } from '../../session/session-context.tsx';
import { usePagedList } from '../../shared/lists/use-paged-list.ts';
import type { PaletteCommand } from './commands.ts';

const foundMax = 8;

/** Documents of the workspace that the service finds; none without a query. */
export function useFoundDocuments(
  workspaceId: string | undefined,
  query: string,
): readonly PaletteCommand[] {
  const navigate = useNavigate();
  const mayRead = useHasScope()('documents:read');
  const { rows, search } = usePagedList(
    DocumentService.method.listDocuments,
    { workspaceId: workspaceId ?? '', pageSize: foundMax },
    ({ documents }) => documents,
    { enabled: workspaceId !== undefined && mayRead && query !== '', name: null },
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query is the only input
  useEffect(() => search?.change(query), [query]);
  if (search === undefined || rows === undefined) return [];
  return rows.map(({ id: documentId, name, workspaceId: owner }) => ({
    id: documentId,
    group: 'Documents',
    label: name,
    icon: IconFileText,
    run: () =>
      void navigate({
        to: '/workspaces/$workspaceId/documents/$documentId',
        params: { workspaceId: owner, documentId },
      }),
  }));
}
