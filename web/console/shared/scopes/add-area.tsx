import { Box, Button, Group, TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { splitWords } from '../split-words.ts';
import { areasOf, isManagementArea } from './management-scopes.ts';

/** An area, or one of its scopes. */
const pattern = /^[a-z][a-z0-9_]{0,63}(?::(?:read|write))?$/;

/** Returns the error of the text; null if it is valid. */
function validateAreas(words: readonly string[], areas: readonly string[]): string | null {
  const wrong = words.find((word) => !pattern.test(word));
  if (wrong !== undefined) {
    return (
      `“${wrong}” isn’t a valid area. Start with a lowercase letter, followed by up to 63 ` +
      'lowercase letters, digits and underscores.'
    );
  }
  const own = areasOf(words).find(isManagementArea);
  if (own === undefined) return words.length === 0 ? 'Enter an area, such as invoices.' : null;
  return areas.includes(own)
    ? `“${own}” is an area of Latchkey. Choose it below.`
    : `“${own}” is an area of Latchkey. You can’t grant it here.`;
}

type AddAreaProps = {
  readonly suggestions: readonly string[];
  /** The areas of the service that the form shows. */
  readonly areas: readonly string[];
  /** Receives the new areas, and the scopes among the words. */
  readonly add: (areas: readonly string[], scopes: readonly string[]) => void;
  readonly path: string;
};

export function AddArea({ suggestions, areas, add, path }: AddAreaProps) {
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  // The form does not submit text that the user has not added.
  useEffect(() => {
    field.current?.setCustomValidity(text.trim() === '' ? '' : 'Add the area or clear the field.');
  }, [text]);

  function change(next: string): void {
    setText(next);
    setError(null);
  }

  function submit(): void {
    const words = splitWords(text);
    const wrong = validateAreas(words, areas);
    setError(wrong);
    if (wrong !== null) {
      field.current?.focus();
      return;
    }
    add(
      areasOf(words),
      words.filter((word) => word.includes(':')),
    );
    change('');
  }

  function submitWithEnter(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    // It would submit the form.
    event.preventDefault();
    submit();
  }

  return (
    <>
      <TextInput
        ref={field}
        mt="xs"
        label="Add an area"
        placeholder="Such as invoices"
        list={list}
        value={text}
        error={error}
        spellCheck={false}
        autoCapitalize="none"
        classNames={{ input: 'mono' }}
        data-path={path}
        onChange={(event) => change(event.currentTarget.value)}
        onKeyDown={submitWithEnter}
        inputContainer={(input) => (
          <Group gap="xs" wrap="nowrap">
            <Box flex={1}>{input}</Box>
            <Button variant="default" onClick={submit} aria-label="Add the area">
              Add
            </Button>
          </Group>
        )}
      />
      <datalist id={list}>
        {suggestions.map((area) => (
          <option key={area} value={area} />
        ))}
      </datalist>
    </>
  );
}
