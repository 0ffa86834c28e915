/** Why the preview of a file is not shown: it is being made, it failed, or the type has none. */
import { Group, Loader, Paper, Text } from '@mantine/core';
import { type Document, Preview } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { officeExtensionOf } from '../../../../src/base/http/pdf-types.ts';
import { PreviewUnavailable } from './preview-states.tsx';

export function OfficePreviewState({ document }: { readonly document: Document }) {
  switch (document.preview) {
    case Preview.PENDING:
      return (
        <Paper withBorder p="lg">
          <Group gap="sm" role="status">
            <Loader size="sm" aria-hidden />
            <Text c="dimmed">The preview is being prepared. Links show it when it is ready.</Text>
          </Group>
        </Paper>
      );
    case Preview.FAILED:
      return (
        <PreviewUnavailable
          text={`No preview: ${document.previewError} Readers can only download the file.`}
        />
      );
    default:
      return officeExtensionOf(document.contentType) === undefined ? (
        <PreviewUnavailable text="No preview for this file type. Download the file to open it." />
      ) : (
        <PreviewUnavailable
          text={
            'No preview: LibreOffice isn’t running. When an operator installs it on the server, ' +
            'readers see this file without a download.'
          }
        />
      );
  }
}
