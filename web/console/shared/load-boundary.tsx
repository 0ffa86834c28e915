import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';

type LoadBoundaryProps = { readonly fallback: ReactNode; readonly children: ReactNode };

/** Keeps the screen if the code of a dialog cannot be loaded: offline, or of a replaced release. */
export class LoadBoundary extends Component<LoadBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}

export function NotLoaded() {
  return (
    <Stack>
      <Text size="sm">Check your connection, then reload the page.</Text>
      <Group justify="flex-end">
        <Button onClick={() => navigator.onLine && location.reload()}>Reload</Button>
      </Group>
    </Stack>
  );
}

type NotLoadedDialogProps = { readonly isOpen: boolean; readonly close: () => void };

export function NotLoadedDialog({ isOpen, close }: NotLoadedDialogProps) {
  return (
    <Modal opened={isOpen} onClose={close} title="This dialog couldn’t be opened">
      <NotLoaded />
    </Modal>
  );
}
