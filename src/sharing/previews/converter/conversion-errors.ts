// Why a version has no preview. The database has the key, and the API returns the sentence.

/** The bounds of a conversion. The viewer and the figures of views end at the same page. */
export const conversionLimits = {
  seconds: 120,
  memoryBytes: 1024 ** 3,
  previewBytes: 100 * 1024 * 1024,
  temporaryFiles: 10_000,
  temporaryBytes: 400 * 1024 * 1024,
  pages: 2_000,
};

const conversionErrors = {
  unreadable: 'LibreOffice cannot read the file. It may be damaged or protected by a password.',
  too_slow: `The conversion took longer than ${conversionLimits.seconds} seconds.`,
  too_large: 'The preview would be larger than 100 MiB.',
  too_many_pages: 'The preview would have more than 2,000 pages.',
  too_many_files:
    'LibreOffice wrote more than 10,000 temporary files, or more than 400 MiB in total.',
  crashed: 'LibreOffice ended unexpectedly. The file may need more than 1 GiB of memory.',
  interrupted: 'The conversion was interrupted three times.',
} as const;

export type ConversionError = keyof typeof conversionErrors;

export const conversionErrorText = (error: string): string =>
  Object.entries(conversionErrors).find(([key]) => key === error)?.[1] ?? '';
