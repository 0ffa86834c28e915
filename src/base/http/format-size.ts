// Formats sizes in the units of file managers and of other services, such as "100 MB".

/** A kB has 1,000 bytes. */
const factor = 1000;
const names = ['kB', 'MB', 'GB', 'TB'] as const;

export type SizeFormat = {
  /** A BCP 47 tag; the environment's locale by default. */
  readonly locale?: string;
  /** Use `floor` for limits and `ceil` for sizes that exceed a limit. */
  readonly rounding?: 'halfExpand' | 'floor' | 'ceil';
};

export function formatSize(bytes: number, options: SizeFormat = {}): string {
  const { locale, rounding = 'halfExpand' } = options;
  const format = new Intl.NumberFormat(locale, {
    maximumFractionDigits: 1,
    roundingMode: rounding,
  });
  if (bytes < factor) return `${format.format(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const isRoundedUp = (power: number) =>
    format.format(bytes / factor ** power) === format.format(factor);
  const power = names.findIndex(
    (_, index) => bytes < factor ** (index + 2) && !isRoundedUp(index + 1),
  );
  const used = power === -1 ? names.length : power + 1;
  return `${format.format(bytes / factor ** used)} ${names[used - 1]}`;
}
