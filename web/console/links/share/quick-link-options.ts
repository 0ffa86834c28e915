import { callUnaryMethod, useTransport } from '@connectrpc/connect-query';
import { DocumentService } from '../../../../gen/latchkey/sharing/v1/document_pb.js';

export type QuickLinkTarget = {
  readonly workspaceId: string;
  readonly id: string;
  readonly name: string;
  /** Undefined if not known yet, as after an upload. */
  readonly viewable?: boolean;
};

/**
 * The options of a link that is created with one click: readers enter their email address, so that
 * the sender sees who reads. A document that cannot be shown can be downloaded.
 */
export function useQuickLinkOptions({ workspaceId, id, viewable }: QuickLinkTarget) {
  const transport = useTransport();
  const { getDocument } = DocumentService.method;
  return async () => {
    const isShown =
      viewable ??
      (await callUnaryMethod(transport, getDocument, { workspaceId, documentId: id })).document
        ?.viewable;
    return { emailRequired: true, allowDownload: isShown === false, isShown };
  };
}
