/** What a document looks like, where a browser can show it. */
import type { Document } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { pictureTypes } from '../../../../src/http/inline-types.ts';
import { Section } from '../../shared/section.tsx';
import { formatSize } from '../document-labels.ts';
import { PdfPreview } from './pdf-preview.tsx';
import { PicturePreview } from './picture-preview.tsx';
import { PreviewUnavailable } from './preview-unavailable.tsx';

/** A picture is fetched whole. */
const pictureBytesMax = 30_000_000;

export function DocumentPreview({ document }: { readonly document: Document }) {
  return <Section title="Preview">{previewOf(document)}</Section>;
}

// By what does not change, so that a new name leaves the preview as it stands.
function previewOf(document: Document) {
  const { id, contentType, sizeBytes } = document;
  if (contentType === 'application/pdf') return <PdfPreview key={id} document={document} />;
  if (!pictureTypes.has(contentType)) {
    return (
      <PreviewUnavailable text="Files of this type are not shown here. Download it to open it." />
    );
  }
  if (sizeBytes > pictureBytesMax) {
    const text = `A picture of ${formatSize(sizeBytes)} is not shown here. Download it to open it.`;
    return <PreviewUnavailable text={text} />;
  }
  return <PicturePreview key={id} document={document} />;
}
