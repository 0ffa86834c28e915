import { useEffect, useState } from 'react';
import type { Document } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { useSignIn } from '../../session/session-context.tsx';
import { ErrorAlert } from '../../shared/error-alert.tsx';
import { fetchDocument } from '../fetch-document.ts';
import classes from './preview.module.css';
import { PreviewDamaged, PreviewLoading } from './preview-states.tsx';

type MediaState =
  | { readonly status: 'loading' }
  | { readonly status: 'shown'; readonly address: string }
  | { readonly status: 'broken' }
  | { readonly status: 'failed'; readonly error: unknown };

export type MediaPreviewProps = {
  readonly document: Document;
  readonly kind: 'image' | 'video' | 'audio';
};

/** Fetches the file with the user's token, which the URL of an element cannot carry. */
export function MediaPreview({ document, kind }: MediaPreviewProps) {
  const { session } = useSignIn();
  const [state, setState] = useState<MediaState>({ status: 'loading' });
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the bytes never change
  useEffect(() => {
    const closing = new AbortController();
    const { signal } = closing;
    setState({ status: 'loading' });
    fetchDocument(session, document, { signal })
      .then((file) => {
        if (signal.aborted) return;
        const address = URL.createObjectURL(file);
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
      return <PreviewLoading />;
    case 'shown':
      return (
        <div className={classes.media}>
          <Media
            kind={kind}
            address={state.address}
            name={document.name}
            onError={() => setState({ status: 'broken' })}
          />
        </div>
      );
    case 'broken':
      return <PreviewDamaged />;
    case 'failed':
      return <ErrorAlert error={state.error} retry={() => setAttempt(attempt + 1)} />;
  }
}

type MediaProps = Pick<MediaPreviewProps, 'kind'> & {
  readonly address: string;
  readonly name: string;
  readonly onError: () => void;
};

function Media({ kind, address, name, onError }: MediaProps) {
  switch (kind) {
    case 'image':
      return <img src={address} alt={name} onError={onError} />;
    case 'video':
      // biome-ignore lint/a11y/useMediaCaption: the file has no captions
      return <video src={address} controls aria-label={name} onError={onError} />;
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: the file has no captions
      return <audio src={address} controls aria-label={name} onError={onError} />;
  }
}
