/** Turns on “Allow download” for documents that readers cannot open otherwise. */
import { useQuery } from '@connectrpc/connect-query';
import { useEffect, useRef } from 'react';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import type { LinkForm } from './link-form.ts';

/**
 * Returns whether the viewer shows the chosen document; undefined while that is unknown. The user
 * can still change the option: it is set again only after another document was chosen.
 */
export function useDownloadDefault(
  workspaceId: string,
  form: LinkForm,
  isOpen: boolean,
): boolean | undefined {
  const { documentId } = form.getValues();
  const { data } = useQuery(
    DocumentService.method.getDocument,
    { workspaceId, documentId },
    { enabled: isOpen && documentId !== '' },
  );
  const viewable = data?.document?.viewable;
  const isSet = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the form changes with each value
  useEffect(() => {
    if (!isOpen) isSet.current = false;
    if (!isOpen || viewable === undefined || isSet.current === !viewable) return;
    isSet.current = !viewable;
    form.setFieldValue('allowDownload', !viewable);
  }, [isOpen, viewable]);
  return viewable;
}
