/** Provides the uploads to the components. */
import { createContext, type ReactNode, useContext, useEffect, useSyncExternalStore } from 'react';
import { DocumentService } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import type { Session } from '../../session/session.ts';
import { useInvalidate } from '../../shared/use-method.ts';
import { type FileUpload, isInProgress, type Uploads } from './uploads.ts';

const UploadsContext = createContext<Uploads | undefined>(undefined);

export const UploadsProvider = UploadsContext.Provider;

export function useUploads(): Uploads {
  const uploads = useContext(UploadsContext);
  if (uploads === undefined) throw new TypeError('UploadsProvider is missing');
  return uploads;
}

export function useAllUploads(): readonly FileUpload[] {
  const uploads = useUploads();
  return useSyncExternalStore(uploads.subscribe, () => uploads.all);
}

/** Wraps all screens: refetches after each upload and warns before the tab closes. */
export function UploadEffects({ children }: { readonly children: ReactNode }) {
  const all = useAllUploads();
  useRefetchOnStored(
    all.map(({ state }) => (state.status === 'stored' ? state.documentId : '')).join(''),
  );
  useLeaveWarning(all.some(isInProgress));
  return children;
}

/**
 * Clears the uploads before another user sees anything. If a session expires and the same user
 * signs in again, the uploads are kept.
 */
export function bindUploadsToUser(uploads: Uploads, session: Session): void {
  session.subscribe(() => {
    const { state } = session;
    if (state.status === 'in') uploads.setOwner(state.user.id);
    else if (state.status === 'out' && state.why !== 'ended') uploads.setOwner(undefined);
  });
}

/** Refetches after each stored upload. */
function useRefetchOnStored(stored: string) {
  const invalidate = useInvalidate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each upload
  useEffect(() => {
    if (stored !== '') void invalidate(DocumentService);
  }, [stored]);
}

/** Makes the browser ask before it closes the tab. */
function useLeaveWarning(isOn: boolean) {
  useEffect(() => {
    if (!isOn) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isOn]);
}
