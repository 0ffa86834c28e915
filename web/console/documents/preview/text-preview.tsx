import { Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Document } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { useSignIn } from '../../session/session-context.tsx';
import { ErrorAlert } from '../../shared/error-alert.tsx';
import classes from './preview.module.css';
import { PreviewLoading } from './preview-states.tsx';
import type { TextKind } from './show-text.ts';

type TextState =
  | { readonly status: 'loading' }
  /** `rest`: which part is shown; empty for the whole file. */
  | { readonly status: 'shown'; readonly rest: string }
  | { readonly status: 'failed'; readonly error: unknown };

export type TextPreviewProps = { readonly document: Document; readonly kind: TextKind };

/** Shows the beginning of a text with the modules of the link viewer, which load on first use. */
export function TextPreview({ document, kind }: TextPreviewProps) {
  const { session } = useSignIn();
  const content = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<TextState>({ status: 'loading' });
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the bytes never change
  useEffect(() => {
    const closing = new AbortController();
    const { signal } = closing;
    setState({ status: 'loading' });
    import('./show-text.ts')
      .then(({ createText }) => createText(session, document, kind, signal))
      .then(({ element, rest }) => {
        if (signal.aborted) return;
        content.current?.replaceChildren(element);
        setState({ status: 'shown', rest });
      })
      .catch((error) => {
        if (!signal.aborted) setState({ status: 'failed', error });
      });
    return () => closing.abort();
  }, [session, attempt]);

  return (
    <Stack gap="xs">
      {state.status === 'loading' ? <PreviewLoading /> : null}
      {state.status === 'failed' ? (
        <ErrorAlert error={state.error} retry={() => setAttempt(attempt + 1)} />
      ) : null}
      <section
        ref={content}
        className={classes.text}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
        tabIndex={0}
        aria-label="Content of the document"
        hidden={state.status !== 'shown'}
      />
      {state.status === 'shown' && state.rest !== '' ? (
        <Text size="sm" c="dimmed">
          {state.rest} Download the file to see all of it.
        </Text>
      ) : null}
    </Stack>
  );
}
