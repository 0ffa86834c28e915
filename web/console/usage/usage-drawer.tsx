/** The usage of a credential. Credentials have no page in the console. */
import { Drawer } from '@mantine/core';
import { useDialog } from '../shared/dialog-state.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName, Sentence } from '../shared/isolate-name.tsx';
import { Usage, useMayReadUsage } from './usage-section.tsx';

/** Returns the action that shows the usage. Undefined for users without access to it. */
export function useUsageDrawer(id: string, name: string): (() => void) | undefined {
  const { open } = useDialogs();
  const mayRead = useMayReadUsage();
  return mayRead ? () => open(<UsageDrawer id={id} name={name} />) : undefined;
}

function UsageDrawer({ id, name }: { readonly id: string; readonly name: string }) {
  const { isOpen, close } = useDialog();
  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      position="right"
      size="lg"
      title={<Sentence text={`Usage of ${isolateName(name)}`} />}
    >
      <Usage id={id} />
    </Drawer>
  );
}
