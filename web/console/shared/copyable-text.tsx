import { Button, type ButtonSize, Group, TextInput, VisuallyHidden } from '@mantine/core';
import { type MouseEvent, useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';

/** Text with a copy button. `label` names the text for screen readers. */
export function CopyableText({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <code className="mono">{text}</code>
      <CopyButton text={text} label={label} />
    </Group>
  );
}

type CopyButtonProps = {
  readonly text: string;
  readonly label: string;
  readonly size?: ButtonSize;
};

type State = 'ready' | 'copied' | 'refused';

const copiedMs = 2000;

export function CopyButton({ text, label, size = 'compact-xs' }: CopyButtonProps) {
  const [state, setState] = useState<State>('ready');
  useEffect(() => {
    if (state !== 'copied') return;
    const timer = setTimeout(() => setState('ready'), copiedMs);
    return () => clearTimeout(timer);
  }, [state]);
  if (state === 'refused') return <SelectedText text={text} label={label} />;
  const isCopied = state === 'copied';
  const copy = async ({ currentTarget }: MouseEvent<HTMLButtonElement>) =>
    setState((await copyText(text, currentTarget)) ? 'copied' : 'refused');
  return (
    <>
      <Button
        variant="default"
        size={size}
        flex="none"
        onClick={(event) => void copy(event)}
        aria-label={isCopied ? `${label} copied` : `Copy ${label}`}
      >
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
      <VisuallyHidden role="status">{isCopied ? `${label} copied` : ''}</VisuallyHidden>
    </>
  );
}

/** The fallback if the browser refuses to copy: a field with the selected text. */
function SelectedText({ text, label }: Pick<CopyButtonProps, 'text' | 'label'>) {
  return (
    <TextInput
      size="xs"
      w="14rem"
      readOnly
      autoFocus
      value={text}
      aria-label={label}
      description="Copying failed. Press Ctrl+C or ⌘C to copy the selected text."
      classNames={{ input: 'mono' }}
      onFocus={(event) => event.currentTarget.select()}
    />
  );
}
