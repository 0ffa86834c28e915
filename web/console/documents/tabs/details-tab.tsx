import type { Document } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { formatSize } from '../../../../src/base/http/format-size.ts';
import { CopyableText } from '../../shared/copyable-text.tsx';
import { historyFacts } from '../../shared/creation.tsx';
import { Facts, type OptionalFact } from '../../shared/facts.tsx';
import { Section } from '../../shared/section.tsx';
import { contentTypeText, pageCountText } from '../document-labels.ts';
import { useShownDocument } from '../shown-document.ts';

export function DetailsTab() {
  return (
    <Section title="Details">
      <Facts facts={factsOf(useShownDocument())} />
    </Section>
  );
}

function factsOf(document: Document): OptionalFact[] {
  const { id, contentType, sizeBytes, pageCount, sha256 } = document;
  return [
    { name: 'Document ID', value: <CopyableText text={id} label="document ID" /> },
    { name: 'Type', value: contentTypeText(contentType) },
    { name: 'Size', value: formatSize(sizeBytes) },
    pageCount !== 0 && { name: 'Pages', value: pageCountText(pageCount) },
    { name: 'Version', value: document.version.toLocaleString() },
    ...historyFacts(document, document.version === 1 ? 'Uploaded' : 'First uploaded'),
    { name: 'SHA-256', value: <CopyableText text={sha256} label="SHA-256" isShort /> },
  ];
}
