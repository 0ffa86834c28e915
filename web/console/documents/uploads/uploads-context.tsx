/** Hands the uploads to the components, and keeps them. */
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useSyncExternalStore } from 'react';
import type { Session } from '../../session/session.ts';
import { type FileUpload, isUnderWay, type Uploads } from './uploads.ts';

const UploadsContext = createContext<Uploads | undefined>(undefined);

export const UploadsProvider = UploadsContext.Provider;

export function useUploads(): Uploads {
  const uploads = useContext(UploadsContext);
  if (uploads === undefined) throw new TypeError('there is no UploadsProvider around');
  return uploads;
}

export function useAllUploads(): readonly FileUpload[] {
  const uploads = useUploads();
  return useSyncExternalStore(uploads.subscribe, () => uploads.all);
}

/** Stands around all pages. */
export function KeepUploads({ children }: { readonly children: ReactNode }) {
  const all = useAllUploads();
  useFresh(all.map(({ state }) => (state.status === 'stored' ? state.documentId : '')).join(''));
  useWarning(all.some(isUnderWay));
  return children;
}

/**
 * Has them forgotten before the next user is shown anything. After a session that has ended by
 * itself, the same user finds them where they were.
 */
export function bindUploadsToUser(uploads: Uploads, session: Session): void {
  session.subscribe(() => {
    const { state } = session;
    if (state.status === 'in') uploads.setOwner(state.user.id);
    else if (state.status === 'out' && state.why !== 'ended') uploads.setOwner(undefined);
  });
}

/** What was fetched does not have what has been stored since. */
function useFresh(stored: string) {
  const queries = useQueryClient();
  useEffect(() => {
    if (stored !== '') void queries.invalidateQueries();
  }, [queries, stored]);
}

/** Has the browser ask before the page is closed. */
function useWarning(isOn: boolean) {
  useEffect(() => {
    if (!isOn) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isOn]);
}
