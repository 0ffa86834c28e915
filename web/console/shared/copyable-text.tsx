import {
  ActionIcon,
  Button,
  type ButtonProps,
  Group,
  TextInput,
  VisuallyHidden,
} from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { type MouseEvent, useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';
import { shortId } from './short-id.ts';

export type CopyableTextProps = {
  readonly text: string;
  /** Names the text for screen readers. */
  readonly label: string;
  /** Shows only the start and the end of an ID or a digest. */
  readonly isShort?: boolean;
};

/** Text with a copy button. */
export function CopyableText({ text, label, isShort = false }: CopyableTextProps) {
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex" maw="100%">
      {isShort ? <ShortText text={text} /> : <code className="mono">{text}</code>}
      <CopyButton text={text} label={label} isIcon />
    </Group>
  );
}

/** An ID or a digest on one line, whole on hover and for screen readers. */
export function ShortText({ text }: { readonly text: string }) {
  const short = shortId(text);
  if (short === text) return <span className="mono">{text}</span>;
  return (
    <span className="mono" title={text} style={{ whiteSpace: 'nowrap' }}>
      <span aria-hidden>{short}</span>
      <VisuallyHidden>{text}</VisuallyHidden>
    </span>
  );
}

type CopyButtonProps = Pick<CopyableTextProps, 'text' | 'label'> & {
  /** A quiet button without text. */
  readonly isIcon?: boolean;
  /** The text of the button. */
  readonly caption?: string;
  /** The size of a button with text. */
  readonly size?: NonNullable<ButtonProps['size']>;
};

type State = 'ready' | 'copied' | 'refused';

const copiedMs = 2000;

export function CopyButton(props: CopyButtonProps) {
  const { text, label, isIcon = false, caption = 'Copy', size = 'compact-sm' } = props;
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
  const name = isCopied ? `${label} copied` : `Copy ${label}`;
  const icon = isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />;
  const shared = {
    flex: 'none',
    'aria-label': name,
    onClick: (event: MouseEvent<HTMLButtonElement>) => void copy(event),
  };
  return (
    <>
      {isIcon ? (
        <ActionIcon variant="subtle" color="gray" size="sm" title={name} {...shared}>
          {icon}
        </ActionIcon>
      ) : (
        <Button variant="default" size={size} leftSection={icon} {...shared}>
          {isCopied ? 'Copied' : caption}
        </Button>
      )}
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
