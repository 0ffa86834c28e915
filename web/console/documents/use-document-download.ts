import { useState } from 'react';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { useSignIn } from '../session/session-context.tsx';
import { fetchDocument } from './fetch-document.ts';

/** Long enough for the browser to start the download. */
const keptMs = 60_000;

/** Downloads with the user's token, which a URL cannot carry. */
export function useDocumentDownload(document: Document | undefined) {
  const { session } = useSignIn();
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();

  async function start() {
    if (document === undefined) return;
    setPending(true);
    setError(undefined);
    try {
      save(await fetchDocument(session, document), document.name);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  }

  return { isPending, error, start: () => void start() };
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), keptMs);
}
