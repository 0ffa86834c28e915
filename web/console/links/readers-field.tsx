import { Textarea, type TextareaProps } from '@mantine/core';
import { type DragEvent, type SyntheticEvent, useState } from 'react';
import { type ImportedReaders, importFile, importRows, readTable } from './read-readers.ts';

/** Email addresses and domains. Adds the first column of a CSV file that is pasted or dropped. */
export function ReadersField({ error, onChange, ...props }: TextareaProps) {
  const [refusal, setRefusal] = useState<string>();

  async function add(
    field: HTMLTextAreaElement,
    importing: ImportedReaders | Promise<ImportedReaders>,
  ) {
    const imported = await importing;
    if ('error' in imported) setRefusal(imported.error);
    else insertLines(field, imported.readers);
  }

  /** Text that is not a table stays as it is. */
  function receive(event: SyntheticEvent<HTMLTextAreaElement>, data: DataTransfer): void {
    // A spreadsheet also copies a picture of its cells.
    const file = [...data.files].find(({ type }) => !type.startsWith('image/'));
    const rows = file === undefined ? readTable(data.getData('text/plain')) : undefined;
    if (file !== undefined) void add(event.currentTarget, importFile(file));
    else if (rows !== undefined) void add(event.currentTarget, importRows(rows, 'the pasted text'));
    else return;
    event.preventDefault();
  }

  return (
    <Textarea
      description={
        'One email address or domain per line, such as jane@example.com or @example.com. You can ' +
        'paste or drop a CSV file with the addresses in its first column.'
      }
      autosize
      minRows={2}
      maxRows={8}
      spellCheck={false}
      autoCapitalize="none"
      {...props}
      error={refusal ?? error}
      errorProps={refusal === undefined ? {} : { role: 'alert' }}
      onChange={(event) => {
        setRefusal(undefined);
        onChange?.(event);
      }}
      onPaste={(event) => receive(event, event.clipboardData)}
      onDragOver={acceptFiles}
      onDrop={(event) => receive(event, event.dataTransfer)}
    />
  );
}

function acceptFiles(event: DragEvent): void {
  if (event.dataTransfer.types.includes('Files')) event.preventDefault();
}

/** Replaces the selection. Other text of the field stays on its own lines. */
function insertLines(field: HTMLTextAreaElement, lines: readonly string[]): void {
  const { value, selectionStart: start, selectionEnd: end } = field;
  const before = /[^\n]$/.test(value.slice(0, start)) ? '\n' : '';
  const after = /^[^\n]/.test(value.slice(end)) ? '\n' : '';
  field.setRangeText(before + lines.join('\n') + after, start, end, 'end');
  // Lets React read the new value.
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
