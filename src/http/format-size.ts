// Formats sizes in the units of file managers and of other services, such as "100 MB".

const units = ['kB', 'MB', 'GB', 'TB'] as const;

export type SizeFormat = {
  /** A BCP 47 tag; the environment's locale by default. */
  readonly locale?: string;
  /** Use `floor` for limits and `ceil` for sizes that exceed a limit. */
  readonly rounding?: 'halfExpand' | 'floor' | 'ceil';
};

/** Returns a text such as "1 byte", "14.2 kB" or "100 MB". A kB has 1,000 bytes. */
export function formatSize(bytes: number, { locale, rounding }: SizeFormat = {}): string {
  const format = new Intl.NumberFormat(locale, {
    maximumFractionDigits: 1,
    roundingMode: rounding ?? 'halfExpand',
  });
  if (bytes < 1000) return `${format.format(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const isRoundedUp = (power: number) =>
    format.format(bytes / 1000 ** power) === format.format(1000);
  const power = units.findIndex(
    (_, index) => bytes < 1000 ** (index + 2) && !isRoundedUp(index + 1),
  );
  const used = power === -1 ? units.length : power + 1;
  return `${format.format(bytes / 1000 ** used)} ${units[used - 1]}`;
}
