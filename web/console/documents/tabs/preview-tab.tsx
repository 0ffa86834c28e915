import { DocumentPreview } from '../preview/document-preview.tsx';
import { useShownDocument } from '../shown-document.ts';

export function PreviewTab() {
  const document = useShownDocument();
  return <DocumentPreview key={`${document.version} ${document.preview}`} document={document} />;
}
