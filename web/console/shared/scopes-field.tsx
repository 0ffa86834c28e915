/** Asks for scopes, of any area. */
import { Button, Group, Stack, Text, Textarea, type TextareaProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { splitWords, validateCount } from './split-words.ts';

const scopesMax = 100;
const scopePattern = /^[a-z][a-z0-9_]{0,63}:(?:read|write)$/;

/** What is wrong with what the field holds; null if nothing is. */
export function validateScopes(text: string): string | null {
  const scopes = splitWords(text);
  const wrong = scopes.find((scope) => !scopePattern.test(scope));
  if (wrong !== undefined) {
    return (
      `“${wrong}” is not a scope. Write an area in small letters, digits and underscores, ` +
      'a colon, and read or write, such as payments:read.'
    );
  }
  return validateCount(scopes, scopesMax);
}

export type ScopesFieldProps = Omit<TextareaProps, 'value' | 'onChange'> & {
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Scopes that a button offers, each. */
  readonly suggestions?: readonly string[];
  /** What those are. */
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
        description="One per line: an area of yours and read or write, such as payments:read."
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
