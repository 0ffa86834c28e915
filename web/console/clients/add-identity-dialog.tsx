import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import {
  type TrustedIssuer,
  TrustedIssuerService,
} from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { CodeArea, invalidField } from '../shared/json-field.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { SearchSelect } from '../shared/search-select.tsx';
import { shortId } from '../shared/short-id.ts';
import { useMethod } from '../shared/use-method.ts';

const issuers = defineList({
  label: 'Trusted issuers',
  method: TrustedIssuerService.method.listTrustedIssuers,
  rows: (page) => page.trustedIssuers,
  name: 'issuers',
  columns: [],
});

export function AddIdentityDialog({ clientId }: { readonly clientId: string }) {
  const list = useList(issuers, {});
  const [issuer, setIssuer] = useState<TrustedIssuer>();
  const create = useMethod(ClientService.method.createFederatedIdentity);
  const form = useForm({ initialValues: { issuerId: '', subject: '', claims: '' } });
  return (
    <FormDialog
      title="Add federated identity"
      label="Add"
      done="Federated identity added"
      form={form}
      submit={async ({ subject, claims }) => {
        if (issuer === undefined) throw invalidField('issuer_id', 'is required');
        await create({ clientId, issuerId: issuer.id, subject, claims: readClaims(claims) });
      }}
    >
      <SearchSelect
        label="Trusted issuer"
        required
        data-autofocus
        list={list}
        chosen={issuer}
        choose={setIssuer}
        idOf={({ id }) => id}
        labelOf={labelOf}
        nothingFoundMessage="No trusted issuers. Create one first."
        error={form.errors.issuerId}
        data-path="issuerId"
      />
      <TextInput
        label="Subject"
        description="The sub of its tokens. * stands for a part without “/” and “:”."
        placeholder="repo:octo-org/octo-repo:environment:production"
        required
        maxLength={255}
        spellCheck={false}
        autoCapitalize="none"
        classNames={{ input: 'mono' }}
        {...form.getInputProps('subject')}
      />
      <CodeArea
        label="Other claims"
        description="Optional. One per line, such as repository_owner_id=65."
        rows={3}
        {...form.getInputProps('claims')}
      />
    </FormDialog>
  );
}

/** Unique, because several issuers may have the same name. */
function labelOf({ id, name, issuer }: TrustedIssuer): string {
  return `${name || issuer} (${shortId(id)})`;
}

function readClaims(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.trim());
  const entries = lines
    .filter((line) => line !== '')
    .map((line): [string, string] => {
      const at = line.indexOf('=');
      if (at < 1) throw invalidField('claims', 'Write each line as name=value.');
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    });
  return Object.fromEntries(entries);
}
