import '../../../viewer/pdf/pdf.css';
import { Button, Group, Paper, PasswordInput, Stack, Text } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Document } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { useSignIn } from '../../session/session-context.tsx';
import { ErrorAlert } from '../../shared/error-alert.tsx';
import classes from './preview.module.css';
import { PreviewDamaged, PreviewLoading } from './preview-states.tsx';
import { type PdfState, showPdfPreview } from './show-pdf.ts';

export type PdfPreviewProps = { readonly document: Document };

export function PdfPreview({ document }: PdfPreviewProps) {
  const { session } = useSignIn();
  const scroller = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<PdfState>({ status: 'loading' });
  const [page, setPage] = useState(1);
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the bytes never change
  useEffect(() => {
    if (scroller.current === null) return undefined;
    setState({ status: 'loading' });
    return showPdfPreview({
      session,
      document,
      scroller: scroller.current,
      onState: setState,
      onPage: setPage,
    });
  }, [session, attempt]);

  return (
    <Stack gap="xs">
      <About state={state} page={page} retry={() => setAttempt(attempt + 1)} />
      <div ref={scroller} className={classes.pages} hidden={state.status !== 'shown'} />
    </Stack>
  );
}

type AboutProps = {
  readonly state: PdfState;
  readonly page: number;
  readonly retry: () => void;
};

function About({ state, page, retry }: AboutProps) {
  switch (state.status) {
    case 'loading':
      return <PreviewLoading />;
    case 'shown':
      return (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            Page {page} of {state.total}
          </Text>
          <Group gap="xs">
            <Button variant="default" size="compact-sm" onClick={() => state.zooming.by(-1)}>
              Zoom out
            </Button>
            <Button variant="default" size="compact-sm" onClick={() => state.zooming.by(1)}>
              Zoom in
            </Button>
          </Group>
        </Group>
      );
    case 'locked':
      return <Unlock {...state} />;
    case 'broken':
      return <PreviewDamaged />;
    case 'failed':
      return <ErrorAlert error={state.error} retry={retry} />;
  }
}

function Unlock({ isWrong, submit }: Extract<PdfState, { status: 'locked' }>) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    submit(String(new FormData(event.currentTarget).get('password') ?? ''));
  };
  return (
    <Paper withBorder p="lg">
      <form onSubmit={send}>
        <Stack align="flex-start">
          <Text>This PDF is password-protected. The password stays in this browser.</Text>
          <PasswordInput
            label="PDF password"
            name="password"
            autoComplete="off"
            required
            w="100%"
            maw={320}
            error={isWrong ? 'Wrong password.' : undefined}
          />
          <Button type="submit" variant="default">
            Open
          </Button>
        </Stack>
      </form>
    </Paper>
  );
}
