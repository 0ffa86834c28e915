import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import {
  type IdentityProvider,
  IdentityProviderService,
} from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { DisableOrEnable } from '../shared/action-button.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';
import { EditProviderDialog } from './edit-provider-dialog.tsx';

export function ProviderActions({ provider }: { readonly provider: IdentityProvider }) {
  const { open, confirm } = useDialogs();
  const update = useMethod(IdentityProviderService.method.updateIdentityProvider);
  const remove = useMethod(IdentityProviderService.method.deleteIdentityProvider);
  const navigate = useNavigate();
  const { id: providerId, name, enabled } = provider;
  const setEnabled = (value: boolean) => update({ providerId, ...withMask({ enabled: value }) });
  const askToDisable = () =>
    confirm({
      title: `Disable “${isolateName(name)}”?`,
      consequence:
        'Everyone who signed in with it is signed out immediately, and can’t sign in with it ' +
        'until you enable it again.',
      label: 'Disable',
      run: () => setEnabled(false),
    });
  const askToDelete = () =>
    confirm({
      title: `Delete “${isolateName(name)}”?`,
      consequence:
        'Everyone who signed in with it is signed out immediately. Users without a password ' +
        'can’t sign in any more. This can’t be undone.',
      label: 'Delete',
      run: async () => {
        await remove({ providerId });
        await navigate({ to: '/identity-providers' });
      },
    });
  return (
    <>
      <Button variant="default" onClick={() => open(<EditProviderDialog provider={provider} />)}>
        Edit
      </Button>
      <DisableOrEnable
        isEnabled={enabled}
        askToDisable={askToDisable}
        enable={() => setEnabled(true)}
      />
      <Button variant="default" onClick={askToDelete}>
        Delete
      </Button>
    </>
  );
}
