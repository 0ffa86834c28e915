import type { ReactNode } from 'react';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { Section } from '../shared/section.tsx';
import { CsvButton, useCsv } from './csv-button.tsx';

export type ReadersSectionProps = {
  /** The path of the resource in the API, such as `/links/lnk_1`. */
  readonly path: string;
  readonly workspaceId: string;
  /** The name of the document or of the link, for the name of the file. */
  readonly name: string;
  readonly hasViews: boolean;
  readonly children: ReactNode;
};

/** Who read it, with a button that saves all views as CSV. */
export function ReadersSection({
  path,
  workspaceId,
  name,
  hasViews,
  children,
}: ReadersSectionProps) {
  const download = useCsv(`${path}/views.csv`, workspaceId, `${name} views.csv`);
  const button = <CsvButton download={download} />;
  return (
    <Section title="Readers" actions={hasViews ? button : undefined}>
      <ErrorAlert error={download.error} retry={download.start} />
      {children}
    </Section>
  );
}
