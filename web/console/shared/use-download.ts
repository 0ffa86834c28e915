import type { BytesRequest } from '../session/fetch-bytes.ts';
import type { Session } from '../session/session.ts';
import { useSignIn } from '../session/session-context.tsx';
import { saveFile } from './save-file.ts';
import { type PendingAction, usePendingAction } from './use-pending-action.ts';

export type Download = Pick<PendingAction, 'isPending' | 'error'> & { start(): void };

type Source = {
  readonly name: string;
  fetch(session: Session, request?: BytesRequest): Promise<Blob>;
};

/** Downloads with the user's token, which a URL cannot carry. Does nothing without a source. */
export function useDownload(source: Source | undefined): Download {
  const { session } = useSignIn();
  const { isPending, error, run } = usePendingAction();
  const start = () => {
    if (source === undefined) return;
    void run(async () => saveFile(await source.fetch(session), source.name));
  };
  return { isPending, error, start };
}
