// Writes gen/openapi.json. With --check it writes nothing and fails if the file is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { discoveryRoutes } from '../src/identity/discovery/routes.ts';
import { receiptKeysRoute } from '../src/identity/keys/receipt-keys.ts';
import { providerRoutes } from '../src/identity/providers/routes.ts';
import type { ProviderSignIn } from '../src/identity/providers/sign-in.ts';
import { type SharingRouteOptions, sharingRoutes } from '../src/sharing/routes.ts';
import { siteRoutes } from '../src/site/site-routes.ts';
import type { Database } from '../src/storage/schema/schema.ts';
import { openApiDocument } from './openapi/document.ts';

const target = path.resolve(import.meta.dirname, '../gen/openapi.json');

/** The routes that a service serves, with parts that do not work. */
function routesWithoutService() {
  const asset = { file: '', styles: [], imports: [] };
  const assets = { entry: () => asset, addressOf: () => '' };
  const site = { assets, publicUrl: '', random: () => Buffer.alloc(0), uploadBytesMax: 0 };
  const routes = siteRoutes({ ...site, sendsMail: false, webDir: '' });
  // Only the handlers use these parts.
  return [
    ...[
      ...routes,
      ...discoveryRoutes({
        ...{ issuer: '', grantTypes: [], requestsCertificates: false },
        algorithms: { tokens: [], assertions: [], proofs: [] },
      }),
      ...sharingRoutes({} as SharingRouteOptions),
    ],
    receiptKeysRoute({} as Database),
    ...providerRoutes({} as ProviderSignIn, { clear: () => '' }),
  ];
}

const document = openApiDocument(routesWithoutService());
if (!process.argv.includes('--check')) {
  writeFileSync(target, document);
} else if (document !== readFileSync(target, 'utf8')) {
  console.error('gen/openapi.json is stale, run `npm run generate`');
  process.exitCode = 1;
}
