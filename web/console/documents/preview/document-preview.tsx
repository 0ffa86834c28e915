import type { Document } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { formatSize } from '../../../../src/http/format-size.ts';
import { isRasterImage } from '../../../../src/http/viewer-kinds.ts';
import { Section } from '../../shared/section.tsx';
import { PdfPreview } from './pdf-preview.tsx';
import { PicturePreview } from './picture-preview.tsx';
import { PreviewUnavailable } from './preview-unavailable.tsx';

/** Images are fetched as a whole. */
const pictureBytesMax = 30 * 1024 * 1024;

export function DocumentPreview({ document }: { readonly document: Document }) {
  return <Section title="Preview">{previewOf(document)}</Section>;
}

// Keyed by the ID, so that renaming the document does not reload the preview.
function previewOf(document: Document) {
  const { id, contentType, sizeBytes, viewable } = document;
  if (contentType === 'application/pdf') return <PdfPreview key={id} document={document} />;
  if (!isRasterImage(contentType)) {
    const text = viewable
      ? 'The console previews PDFs and images only. Open a link to see it.'
      : 'No preview for this file type. Download the file to open it.';
    return <PreviewUnavailable text={text} />;
  }
  if (sizeBytes > pictureBytesMax) {
    const text = `No preview for images of ${formatSize(sizeBytes)}. Download the file to open it.`;
    return <PreviewUnavailable text={text} />;
  }
  return <PicturePreview key={id} document={document} />;
}
