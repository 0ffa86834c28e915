// The version of better-sqlite3 that the service uses: see src/storage/drivers/sqlite-library.ts.
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
const hasNodeApi10 = Number(process.versions.napi) >= 10;

export default load(hasNodeApi10 ? 'better-sqlite3' : 'better-sqlite3-node20');
