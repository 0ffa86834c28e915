import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPencil, IconSignature, IconTargetArrow, IconTrash } from '@tabler/icons-react';
import { type Audience, AudienceService } from '../../../gen/latchkey/identity/v1/audience_pb.js';
import { CopyableText } from '../shared/copyable-text.tsx';
import { createdByColumn, createdColumn } from '../shared/creation.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { ListScreen } from '../shared/lists/list-screen.tsx';
import { RowMenu } from '../shared/lists/row-menu.tsx';
import { NameField, RenameDialog } from '../shared/name-dialog.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';
import { AlgorithmField } from './algorithm-field.tsx';

const audiences = defineList({
  label: 'Audiences',
  method: AudienceService.method.listAudiences,
  rows: (page) => page.audiences,
  columns: [
    { title: 'Name', orderBy: 'name', isFree: true, cell: ({ name }) => name },
    {
      title: 'Identifier',
      isFree: true,
      cell: ({ identifier }) => <CopyableText text={identifier} label="identifier" />,
    },
    { title: 'Algorithm', isPlain: true, cell: ({ signingAlg }) => signingAlg },
    {
      title: 'ID',
      isSpare: true,
      cell: ({ id }) => <CopyableText text={id} label={`ID ${id}`} isShort />,
    },
    createdByColumn<Audience>(),
    createdColumn({ isMinor: true }),
    {
      title: 'Actions',
      isTitleHidden: true,
      scope: 'audiences:write',
      cell: (audience) => <Actions audience={audience} />,
    },
  ],
});

export function AudiencesScreen() {
  return (
    <ListScreen
      list={useList(audiences, {})}
      about={
        'Your services that receive tokens. A token names one audience, so that no service can ' +
        'use it at another one.'
      }
      create={<CreateAudienceDialog />}
      empty={{
        title: 'No audiences yet',
        text: 'Until you create one, all tokens have the audience of this service.',
        icon: IconTargetArrow,
      }}
    />
  );
}

AudiencesScreen.reads = [audiences];

function Actions({ audience }: { readonly audience: Audience }) {
  const { id: audienceId, name, etag } = audience;
  const { open, confirm } = useDialogs();
  const update = useMethod(AudienceService.method.updateAudience);
  const remove = useMethod(AudienceService.method.deleteAudience);
  const rename = () =>
    open(
      <RenameDialog
        noun="audience"
        name={name}
        submit={(next) => update({ audienceId, etag, ...withMask({ name: next }) })}
      />,
    );
  const ask = () =>
    confirm({
      title: `Delete “${isolateName(name)}”?`,
      consequence:
        'Latchkey rejects the tokens for the audience. Services that verify tokens offline ' +
        'accept them until they expire. You can’t undo this.',
      label: 'Delete',
      done: 'Audience deleted',
      run: () => remove({ audienceId }),
    });
  return (
    <RowMenu
      name={name}
      actions={[
        { label: 'Rename', icon: IconPencil, run: rename },
        {
          label: 'Change algorithm',
          icon: IconSignature,
          run: () => open(<ChangeAlgorithmDialog audience={audience} />),
        },
        { label: 'Delete', icon: IconTrash, run: ask },
      ]}
    />
  );
}

function ChangeAlgorithmDialog({ audience }: { readonly audience: Audience }) {
  const update = useMethod(AudienceService.method.updateAudience);
  const form = useForm({ initialValues: { signingAlg: audience.signingAlg } });
  return (
    <FormDialog
      title="Change algorithm"
      label="Save"
      done="Algorithm changed"
      form={form}
      submit={({ signingAlg }) =>
        update({ audienceId: audience.id, etag: audience.etag, ...withMask({ signingAlg }) })
      }
    >
      <AlgorithmField {...form.getInputProps('signingAlg')} />
      <Text size="sm">
        The service must accept both algorithms until the last token of the old one has expired.
      </Text>
    </FormDialog>
  );
}

function CreateAudienceDialog() {
  const create = useMethod(AudienceService.method.createAudience);
  const form = useForm({ initialValues: { name: '', identifier: '', signingAlg: 'EdDSA' } });
  return (
    <FormDialog
      title="Create audience"
      label="Create"
      done="Audience created"
      form={form}
      submit={(values) => create(values)}
    >
      <NameField required {...form.getInputProps('name')} />
      <TextInput
        label="Identifier"
        description="A URL, such as https://payments.example.com. You can’t change it."
        required
        maxLength={255}
        spellCheck={false}
        autoCapitalize="none"
        {...form.getInputProps('identifier')}
      />
      <AlgorithmField {...form.getInputProps('signingAlg')} />
      <Text size="sm" role="status">
        {form.values.signingAlg === 'EdDSA'
          ? ''
          : 'If no key of this algorithm signs yet, Latchkey creates one, which signs about five ' +
            'minutes later.'}
      </Text>
    </FormDialog>
  );
}
