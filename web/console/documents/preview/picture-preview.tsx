import { Center, Loader } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Document } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { useSignIn } from '../../session/session-context.tsx';
import { ErrorAlert } from '../../shared/error-alert.tsx';
import { fetchDocument } from '../fetch-document.ts';
import classes from './preview.module.css';
import { PreviewUnavailable } from './preview-unavailable.tsx';

type PictureState =
  | { readonly status: 'loading' }
  | { readonly status: 'shown'; readonly address: string }
  | { readonly status: 'broken' }
  | { readonly status: 'failed'; readonly error: unknown };

/** Fetches the image with the user's token, because an image URL cannot carry one. */
export function PicturePreview({ document }: { readonly document: Document }) {
  const { session } = useSignIn();
  const [state, setState] = useState<PictureState>({ status: 'loading' });
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the bytes never change
  useEffect(() => {
    const closing = new AbortController();
    const { signal } = closing;
    setState({ status: 'loading' });
    fetchDocument(session, document, { signal })
      .then((picture) => {
        if (signal.aborted) return;
        const address = URL.createObjectURL(picture);
        signal.addEventListener('abort', () => URL.revokeObjectURL(address));
        setState({ status: 'shown', address });
      })
      .catch((error) => {
        if (!signal.aborted) setState({ status: 'failed', error });
      });
    return () => closing.abort();
  }, [session, attempt]);

  switch (state.status) {
    case 'loading':
      return (
        <Center p="xl">
          <Loader aria-label="Loading the preview" />
        </Center>
      );
    case 'shown':
      return (
        <div className={classes.picture}>
          <img
            src={state.address}
            alt={document.name}
            onError={() => setState({ status: 'broken' })}
          />
        </div>
      );
    case 'broken':
      return (
        <PreviewUnavailable text="The preview is not available because the file is damaged." />
      );
    case 'failed':
      return <ErrorAlert error={state.error} retry={() => setAttempt(attempt + 1)} />;
  }
}
