/** The fields of a sign-in provider that the dialogs share. */
import { Checkbox, PasswordInput, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { IdentityProvider } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { splitWords } from '../shared/split-words.ts';

export type ProviderValues = {
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  allowedDomains: string;
  createUsers: boolean;
  groupsClaim: string;
  emailVerifiedClaim: string;
  additionalScopes: string;
};

export function providerValues(provider?: IdentityProvider): ProviderValues {
  return {
    name: provider?.name ?? '',
    issuer: provider?.issuer ?? '',
    clientId: provider?.clientId ?? '',
    clientSecret: '',
    allowedDomains: provider?.allowedDomains.join('\n') ?? '',
    createUsers: provider?.createUsers ?? false,
    groupsClaim: provider?.groupsClaim ?? 'groups',
    emailVerifiedClaim: provider?.emailVerifiedClaim ?? 'email_verified',
    additionalScopes: provider?.additionalScopes.join(' ') ?? '',
  };
}

/** The fields of the request. The issuer never changes, and an empty secret is kept. */
export function requestOf(values: ProviderValues) {
  const { name, clientId, createUsers, groupsClaim, emailVerifiedClaim } = values;
  return {
    ...{ name, clientId: clientId.trim(), createUsers },
    allowedDomains: splitWords(values.allowedDomains),
    groupsClaim: groupsClaim.trim(),
    emailVerifiedClaim: emailVerifiedClaim.trim(),
    additionalScopes: splitWords(values.additionalScopes),
  };
}

type ProviderFieldsProps = {
  readonly form: UseFormReturnType<ProviderValues>;
  readonly isNew: boolean;
};

export function ProviderFields({ form, isNew }: ProviderFieldsProps) {
  const field = (name: keyof ProviderValues) => ({
    key: form.key(name),
    ...form.getInputProps(name),
  });
  const { key: createKey, ...createUsers } = {
    key: form.key('createUsers'),
    ...form.getInputProps('createUsers', { type: 'checkbox' }),
  };
  return (
    <>
      <TextInput
        label="Name"
        description="On the sign-in page: “Sign in with” and the name."
        required
        maxLength={64}
        data-autofocus
        {...field('name')}
      />
      {isNew ? (
        <TextInput
          label="Issuer"
          description="The URL of the provider. You can’t change it later."
          placeholder="https://login.example.com"
          required
          maxLength={255}
          {...field('issuer')}
        />
      ) : null}
      <TextInput
        label="Client ID"
        description="From the registration of this service at the provider."
        required
        maxLength={255}
        autoComplete="off"
        {...field('clientId')}
      />
      <PasswordInput
        label="Client secret"
        {...(isNew ? {} : { description: 'Leave it empty to keep the current one.' })}
        required={isNew}
        maxLength={1024}
        autoComplete="off"
        {...field('clientSecret')}
      />
      <Textarea
        label="Domains"
        description="The domains of your users’ email addresses. One per line, without subdomains."
        required
        rows={2}
        spellCheck={false}
        autoCapitalize="none"
        {...field('allowedDomains')}
      />
      <Checkbox
        key={createKey}
        label="Create users at their first sign-in"
        description="Otherwise only existing users can sign in."
        {...createUsers}
      />
      <details>
        <summary>Claims and scopes</summary>
        <TextInput
          mt="xs"
          label="Claim of groups"
          description="Lists the groups of a user. By default “groups”."
          maxLength={128}
          {...field('groupsClaim')}
        />
        <TextInput
          mt="xs"
          label="Claim of verified addresses"
          description="By default “email_verified”. For Entra ID “xms_edov”."
          maxLength={128}
          {...field('emailVerifiedClaim')}
        />
        <TextInput
          mt="xs"
          label="Additional scopes"
          description="Besides openid, email and profile. For Okta: “groups”."
          {...field('additionalScopes')}
        />
      </details>
    </>
  );
}
