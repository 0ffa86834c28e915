/** Downloads all events that match the filters. */
import { Button, Menu } from '@mantine/core';
import { IconDownload, IconFileTypeCsv, IconJson } from '@tabler/icons-react';
import { fetchBytes } from '../session/fetch-bytes.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import type { FilterValues } from '../shared/lists/filters.ts';
import { type Download, useDownload } from '../shared/use-download.ts';

type Format = 'csv' | 'ndjson';

export type Exports = Readonly<Record<Format, Download>>;

export function useExports(filters: FilterValues): Exports {
  return { csv: useExport('csv', filters), ndjson: useExport('ndjson', filters) };
}

function useExport(format: Format, filters: FilterValues): Download {
  const query = new URLSearchParams({ ...filters, format });
  return useDownload({
    name: `audit-events.${format}`,
    fetch: (session) => fetchBytes(session, `/audit-events:export?${query}`),
  });
}

export function ExportMenu({ exports: { csv, ndjson } }: { readonly exports: Exports }) {
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          loading={csv.isPending || ndjson.isPending}
        >
          Download
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconFileTypeCsv size={16} />} onClick={csv.start}>
          CSV, for spreadsheets
        </Menu.Item>
        <Menu.Item leftSection={<IconJson size={16} />} onClick={ndjson.start}>
          NDJSON, for programs
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function ExportErrors({ exports }: { readonly exports: Exports }) {
  return Object.entries(exports).map(([format, { error, start }]) =>
    error === undefined ? null : <ErrorAlert key={format} error={error} retry={start} />,
  );
}
