import { Group, Loader, Paper, Text } from '@mantine/core';
import { type Document, Preview } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { formatSize } from '../../../../src/base/http/format-size.ts';
import { officeExtensionOf } from '../../../../src/base/http/pdf-types.ts';
import {
  isRasterImage,
  type ViewerKind,
  viewerKindOf,
} from '../../../../src/base/http/viewer-kinds.ts';
import { Section } from '../../shared/section.tsx';
import { MediaPreview } from './media-preview.tsx';
import { PdfPreview, type PdfPreviewProps } from './pdf-preview.tsx';
import { PreviewUnavailable } from './preview-states.tsx';
import { TextPreview } from './text-preview.tsx';

/** Images, videos and recordings are fetched as a whole. */
const wholeBytesMax = 30 * 1000 * 1000;

export function DocumentPreview(props: PdfPreviewProps) {
  return <Section title="Preview">{previewOf(props)}</Section>;
}

// Keyed by the ID, so that renaming the document does not reload the preview.
function previewOf({ document }: PdfPreviewProps) {
  const { id, contentType, sizeBytes } = document;
  const kind = document.preview === Preview.READY ? 'pdf' : viewerKindOf(contentType);
  switch (kind) {
    case 'pdf':
      return <PdfPreview key={id} document={document} />;
    case 'image':
    case 'video':
    case 'audio':
      return sizeBytes > wholeBytesMax || !isSafe(kind, contentType) ? (
        <PreviewUnavailable text={onlyViewer(document)} />
      ) : (
        <MediaPreview key={id} document={document} kind={kind} />
      );
    case 'markdown':
    case 'json':
    case 'csv':
    case 'text':
      return <TextPreview key={id} document={document} kind={kind} />;
    case undefined:
      return <OfficePreviewState document={document} />;
  }
}

/** A tab that opens an SVG image from a `blob:` URL would run its scripts in our origin. */
const isSafe = (kind: ViewerKind, contentType: string) =>
  kind !== 'image' || isRasterImage(contentType);

function onlyViewer({ sizeBytes }: Document): string {
  return sizeBytes > wholeBytesMax
    ? `No preview for a file of ${formatSize(sizeBytes)}. Open a link to see it.`
    : 'No preview for this file type. Open a link to see it.';
}

/** Why the preview of a file is not shown: it is being made, it failed, or the type has none. */
function OfficePreviewState({ document }: { readonly document: Document }) {
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
