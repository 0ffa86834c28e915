// Formats sizes in binary units, such as "100 MiB".

const units = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

export type SizeFormat = {
  /** A BCP 47 tag; the environment's locale by default. */
  readonly locale?: string;
  /** Use `floor` for limits and `ceil` for sizes that exceed a limit. */
  readonly rounding?: 'halfExpand' | 'floor' | 'ceil';
};

/** Returns a text such as "1 byte", "14.2 KiB" or "100 MiB". */
export function formatSize(bytes: number, { locale, rounding }: SizeFormat = {}): string {
  const format = new Intl.NumberFormat(locale, {
    maximumFractionDigits: 1,
    roundingMode: rounding ?? 'halfExpand',
  });
  if (bytes < 1024) return `${format.format(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  return `${format.format(bytes / 1024 ** power)} ${units[power - 1]}`;
}
