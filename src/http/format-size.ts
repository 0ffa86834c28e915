// Formats sizes. Documents have the units of file managers and of other services, such as "100 MB".

const systems = {
  decimal: { factor: 1000, names: ['kB', 'MB', 'GB', 'TB'] },
  binary: { factor: 1024, names: ['KiB', 'MiB', 'GiB', 'TiB'] },
} as const;

/** A kB has 1,000 bytes, a KiB 1,024. */
export type SizeUnits = keyof typeof systems;

export type SizeFormat = {
  /** A BCP 47 tag; the environment's locale by default. */
  readonly locale?: string;
  /** Use `floor` for limits and `ceil` for sizes that exceed a limit. */
  readonly rounding?: 'halfExpand' | 'floor' | 'ceil';
  /** The default is `decimal`. */
  readonly units?: SizeUnits;
};

/** Returns a text such as "1 byte", "14.2 kB" or "100 MB", with binary units "13.9 KiB". */
export function formatSize(bytes: number, options: SizeFormat = {}): string {
  const { locale, rounding = 'halfExpand', units = 'decimal' } = options;
  const { factor, names } = systems[units];
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

/** The units in which a limit was set: binary for 100 MiB, decimal for 2 MB. */
export function unitsOfLimit(bytes: number): SizeUnits {
  const { factor, names } = systems.binary;
  let power = 0;
  while (power < names.length && bytes >= factor ** (power + 1)) power += 1;
  // At most one decimal, as in 1.5 GiB.
  return (bytes * 10) % factor ** power === 0 ? 'binary' : 'decimal';
}
