import { createContext, useContext } from 'react';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';

const ShownDocumentContext = createContext<Document | undefined>(undefined);

export const ShownDocumentProvider = ShownDocumentContext.Provider;

/** The document of the screen around the tab. */
export function useShownDocument(): Document {
  const document = useContext(ShownDocumentContext);
  if (document === undefined) throw new TypeError('ShownDocumentProvider is missing');
  return document;
}
