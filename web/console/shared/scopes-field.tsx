/** A text field for scopes. */
import { Button, Group, Stack, Text, Textarea, type TextareaProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { splitWords, validateCount } from './split-words.ts';

const scopesMax = 100;
const scopePattern = /^[a-z][a-z0-9_]{0,63}:(?:read|write)$/;

/** Returns the error of the field; null if it is valid. */
export function validateScopes(text: string): string | null {
  const scopes = splitWords(text);
  const wrong = scopes.find((scope) => !scopePattern.test(scope));
  if (wrong !== undefined) {
    return (
      `“${wrong}” isn’t a valid scope. Use the form area:read or area:write, such as ` +
      'payments:read. An area has lowercase letters, digits and underscores.'
    );
  }
  return validateCount(scopes, scopesMax);
}

export type ScopesFieldProps = Omit<TextareaProps, 'value' | 'onChange'> & {
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Each suggestion becomes a button. */
  readonly suggestions?: readonly string[];
  readonly suggestionsLabel?: ReactNode;
};

export function ScopesField(props: ScopesFieldProps) {
  const { value, onChange, suggestions = [], suggestionsLabel, ...others } = props;
  const chosen = new Set(splitWords(value));
  const left = suggestions.filter((scope) => !chosen.has(scope));
  const add = (scope: string) => onChange([...chosen, scope].join('\n'));
  return (
    <Stack gap="xs">
      <Textarea
        label="Scopes"
        description="One per line, such as payments:read or payments:write."
        rows={5}
        resize="vertical"
        spellCheck={false}
        autoCapitalize="none"
        classNames={{ input: 'mono' }}
        {...others}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {left.length === 0 ? null : (
        <details>
          <Text component="summary" size="sm" style={{ cursor: 'pointer' }}>
            {suggestionsLabel}
          </Text>
          <Group gap={6} mt="xs">
            {left.map((scope) => (
              <Button
                key={scope}
                size="compact-xs"
                variant="default"
                aria-label={`Add ${scope}`}
                onClick={() => add(scope)}
              >
                + {scope}
              </Button>
            ))}
          </Group>
        </details>
      )}
    </Stack>
  );
}
