/** The usage of a credential without a page. */
import { Drawer } from '@mantine/core';
import { type Credential, credentialName } from '../shared/credentials/credential.ts';
import { useDialog } from '../shared/dialog-state.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName, Sentence } from '../shared/isolate-name.tsx';
import { Usage, useMayReadUsage } from './usage-section.tsx';

/** Returns the action that shows the usage. Undefined for users without access to it. */
export function useUsageDrawer(credential: Credential): (() => void) | undefined {
  const { open } = useDialogs();
  const mayRead = useMayReadUsage();
  return mayRead ? () => open(<UsageDrawer credential={credential} />) : undefined;
}

function UsageDrawer({ credential }: { readonly credential: Credential }) {
  const { isOpen, close } = useDialog();
  const title = `Usage of ${isolateName(credentialName(credential))}`;
  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      position="right"
      size="lg"
      title={<Sentence text={title} />}
    >
      <Usage id={credential.id} />
    </Drawer>
  );
}
