import { Button, type ButtonSize, CopyButton, Group } from '@mantine/core';

/** Text that is there to be pasted somewhere else. `label` says what it is. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <code className="mono">{text}</code>
      <Copy text={text} label={label} />
    </Group>
  );
}

type CopyProps = {
  readonly text: string;
  readonly label: string;
  readonly size?: ButtonSize;
};

export function Copy({ text, label, size = 'compact-xs' }: CopyProps) {
  return (
    <CopyButton value={text} timeout={2000}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size={size}
          flex="none"
          onClick={copy}
          aria-label={copied ? `${label} copied` : `Copy ${label}`}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      )}
    </CopyButton>
  );
}
