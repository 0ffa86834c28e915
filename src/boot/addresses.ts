import { writeAddresses } from './installation/bootstrap.ts';
import { type AppOptions, bootstrapFileOf } from './options.ts';
import type { Sockets } from './sockets.ts';

/** For convenience: a full or read-only disk does not prevent the start. */
export async function writeOwnAddresses(options: AppOptions, urls: Sockets['urls']): Promise<void> {
  const addresses = {
    LATCHKEY_BASE_URL: urls.publicUrl,
    LATCHKEY_SHARING_BASE_URL: `${urls.publicUrl}/api/v1`,
    LATCHKEY_GRPC_ADDRESS: urls.grpcAddress,
    LATCHKEY_OPS_URL: urls.opsUrl,
  };
  await writeAddresses(bootstrapFileOf(options), addresses).catch((err: unknown) => {
    options.log.warn({ err }, 'cannot update the addresses in bootstrap.env');
  });
}
