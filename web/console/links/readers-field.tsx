import { Textarea, type TextareaProps } from '@mantine/core';

/** Email addresses and domains. */
export function ReadersField(props: TextareaProps) {
  return (
    <Textarea
      description="One email address or domain per line, such as jane@example.com or @example.com."
      autosize
      minRows={2}
      maxRows={8}
      spellCheck={false}
      autoCapitalize="none"
      {...props}
    />
  );
}
