/** The settings of a client that shape its tokens, as fields of a form. */
import { Checkbox, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { AudienceField, validateAudiences } from '../audiences/audience-field.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { CodeArea, parseJsonField } from '../shared/json-field.tsx';
import { ScopesSubsetField } from '../shared/scopes/scopes-field.tsx';

export type TokenValues = {
  audienceIds: string[];
  /** Empty for the default. */
  tokenSeconds: string;
  defaultScopes: string[];
  /** JSON; empty for none. */
  claims: string;
  boundTokens: boolean;
};

export const defaultTokenValues: TokenValues = {
  audienceIds: [],
  tokenSeconds: '',
  defaultScopes: [],
  claims: '',
  boundTokens: false,
};

export const validateTokenValues = {
  audienceIds: validateAudiences,
  tokenSeconds: validateSeconds,
};

/** The service checks the maximum. */
function validateSeconds(text: string): string | null {
  return /^(?:[1-9]\d*)?$/.test(text) ? null : 'Enter a number of seconds, or nothing.';
}

/** The fields of the request. Throws the error of the API if the claims are not a JSON object. */
export function tokenRequestOf({ tokenSeconds, claims, ...values }: TokenValues) {
  const { audienceIds, defaultScopes, boundTokens } = values;
  const hasClaims = claims.trim() !== '';
  return {
    ...{ audienceIds, defaultScopes, boundTokens },
    tokenSeconds: Number(tokenSeconds),
    ...(hasClaims ? { claims: parseJsonField('claims', claims) } : {}),
  };
}

type TokenFieldsProps = {
  readonly form: Pick<UseFormReturnType<TokenValues>, 'values' | 'getInputProps'>;
  /** The scopes of the client. */
  readonly scopes: readonly string[];
  /** Whether the client does not exist yet. */
  readonly isNew?: boolean;
};

export function TokenFields({ form, scopes, isNew = false }: TokenFieldsProps) {
  const mayListAudiences = useHasScope()('audiences:read');
  const { audienceIds, defaultScopes } = form.values;
  return (
    <>
      {mayListAudiences ? (
        <AudienceField {...form.getInputProps('audienceIds')} value={audienceIds} isNew={isNew} />
      ) : null}
      <TextInput
        label="Lifetime in seconds"
        description="1 to 3,600. Leave empty for the default of this server."
        inputMode="numeric"
        maxLength={5}
        {...form.getInputProps('tokenSeconds')}
      />
      {scopes.length === 0 ? null : (
        <ScopesSubsetField
          label="Default scopes"
          description="For token requests that name no scopes. Choose from those of the client."
          scopes={scopes}
          {...form.getInputProps('defaultScopes')}
          value={defaultScopes}
        />
      )}
      <CodeArea
        label="Claims"
        description="A JSON object. Its members become claims of each token. Empty for none."
        placeholder='{"tenant": "acme"}'
        rows={4}
        {...form.getInputProps('claims')}
      />
      <Checkbox
        label="Bind each token to a key"
        description={
          'A token request needs a DPoP proof or a client certificate. A stolen token doesn’t ' +
          'work without the key.'
        }
        {...form.getInputProps('boundTokens', { type: 'checkbox' })}
      />
    </>
  );
}
