const textMax = 255;

/**
 * Returns the text of a claim; undefined for everything else, and for a text that the service
 * cannot store. PostgreSQL stores no NUL.
 */
export const readClaimText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= textMax && !value.includes('\0')
    ? value
    : undefined;
