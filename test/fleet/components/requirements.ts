// The programs that come from Debian packages.
import { existsSync } from 'node:fs';
import path from 'node:path';

const packages: Record<string, string> = {
  pgbouncer: 'pgbouncer',
  haproxy: 'haproxy',
  radosgw: 'radosgw',
  'ceph-mon': 'ceph-mon',
  'ceph-osd': 'ceph-osd',
};

/** One line for each missing program, with the package that contains it. */
export function missingPrograms(): string[] {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'];
  return Object.entries(packages)
    .filter(([program]) => !folders.some((folder) => existsSync(path.join(folder, program))))
    .map(([program, name]) => `${program} is missing: apt-get install ${name}`);
}
