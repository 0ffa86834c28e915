import { useState } from 'react';
import type { BytesRequest } from '../session/fetch-bytes.ts';
import type { Session } from '../session/session.ts';
import { useSignIn } from '../session/session-context.tsx';
import { saveFile } from './save-file.ts';

export type Download = {
  readonly isPending: boolean;
  /** Undefined before the first run and after a success. */
  readonly error: unknown;
  start(): void;
};

type Source = {
  readonly name: string;
  fetch(session: Session, request?: BytesRequest): Promise<Blob>;
};

/** Downloads with the user's token, which a URL cannot carry. Does nothing without a source. */
export function useDownload(source: Source | undefined): Download {
  const { session } = useSignIn();
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();

  async function start() {
    if (source === undefined) return;
    setPending(true);
    setError(undefined);
    try {
      saveFile(await source.fetch(session), source.name);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  }

  return { isPending, error, start: () => void start() };
}
