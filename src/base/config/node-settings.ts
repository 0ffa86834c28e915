// The settings of a node: its addresses, processes and storage.
import { type BlobLocation, blobUrl } from './blob-url.ts';
import { databaseUrl } from './database-url.ts';
import type { SettingTable } from './setting.ts';
import { address, integer, masterKey, networks, oneOf, origin, origins, text } from './values.ts';

export const nodeSettings = {
  http: {
    name: 'LATCHKEY_HTTP_ADDRESS',
    group: 'Network',
    type: address,
    default: '127.0.0.1:8080',
    about: 'The address for HTTP/JSON, Connect and browsers; port 0 means any free port.',
  },
  grpc: {
    name: 'LATCHKEY_GRPC_ADDRESS',
    group: 'Network',
    type: address,
    default: '127.0.0.1:50051',
    about: 'The address for gRPC.',
  },
  ops: {
    name: 'LATCHKEY_OPS_ADDRESS',
    group: 'Network',
    type: address,
    default: '127.0.0.1:9464',
    about: 'The address for health checks and metrics.',
    notes: 'Do not expose it: it has no authentication.',
  },
  publicUrl: {
    name: 'LATCHKEY_PUBLIC_URL',
    group: 'Network',
    type: origin,
    defaultText: 'the HTTP address',
    about: 'The origin that users open; links, cookies and the `iss` of tokens depend on it.',
  },
  tlsCert: {
    name: 'LATCHKEY_TLS_CERT',
    group: 'Network',
    type: text,
    defaultText: 'none: HTTP and gRPC without TLS',
    about:
      'A PEM file with the certificate for HTTP and gRPC, and then its intermediate certificates.',
    notes: 'Requires `LATCHKEY_TLS_KEY`. See [TLS](operations.md#tls).',
  },
  tlsKey: {
    name: 'LATCHKEY_TLS_KEY',
    group: 'Network',
    type: text,
    defaultText: 'none',
    about: 'A PEM file with the private key of the certificate, not encrypted.',
    notes:
      'The service reads these files every two seconds and uses new contents for new connections.',
  },
  httpClientCa: {
    name: 'LATCHKEY_HTTP_CLIENT_CA',
    group: 'Network',
    type: text,
    defaultText: 'none',
    about:
      'A PEM file with the CA certificates whose client certificates can replace a secret ' +
      'on HTTPS.',
    notes:
      'Requires `LATCHKEY_TLS_CERT`. Browsers with a certificate of such a CA ask their user for ' +
      'it. See [Mutual TLS](operations.md#mutual-tls).',
  },
  grpcClientCa: {
    name: 'LATCHKEY_GRPC_CLIENT_CA',
    group: 'Network',
    type: text,
    defaultText: 'none',
    about:
      'A PEM file with the CA certificates whose client certificates can replace a secret on gRPC.',
    notes: 'Requires `LATCHKEY_TLS_CERT`. See [Mutual TLS](operations.md#mutual-tls).',
  },
  corsOrigins: {
    name: 'LATCHKEY_CORS_ORIGINS',
    group: 'Network',
    type: origins,
    defaultOf: (): readonly string[] => [],
    defaultText: 'none',
    about:
      'The origins of other sites whose browser code may call the API with a token, ' +
      'or `*` for all origins.',
    notes:
      'Cookies are never accepted from them. See [Other origins](operations.md#other-origins).',
  },
  trustedProxies: {
    name: 'LATCHKEY_TRUSTED_PROXIES',
    group: 'Network',
    type: networks,
    defaultOf: (): readonly string[] => [],
    defaultText: 'none',
    about: 'The proxies whose `X-Forwarded-For` header the service trusts.',
    notes:
      'Set it behind a proxy. Otherwise all callers share one network address, and one caller ' +
      'can slow down every new sign-in. The log warns once if another peer sends the header.',
  },
  workers: {
    name: 'LATCHKEY_WORKERS',
    group: 'Processes',
    type: integer(0, 256, 'processes'),
    default: '1',
    about: 'The number of processes that share the ports of the node; 0 means one per core.',
    notes: 'See [Workers](operations.md#workers).',
  },
  grpcConnectionAgeSeconds: {
    name: 'LATCHKEY_GRPC_CONNECTION_AGE_SECONDS',
    group: 'Processes',
    type: integer(1, 86_400, 'seconds'),
    default: '300',
    about: 'The age at which a gRPC connection is closed; its calls have 30 more seconds.',
    notes: 'Clients connect again, so a load balancer can spread them over new nodes.',
  },
  dataDir: {
    name: 'LATCHKEY_DATA_DIR',
    group: 'Storage',
    type: text,
    default: './data',
    about:
      'The folder (`<data>` below) for `bootstrap.env` and all files without a separate setting.',
  },
  databaseUrl: {
    name: 'LATCHKEY_DATABASE_URL',
    group: 'Storage',
    type: databaseUrl,
    isSecret: true,
    defaultOf: ({ dataDir }) => `sqlite:${dataDir}/latchkey.db`,
    defaultText: '`sqlite:<data>/latchkey.db`',
    about: 'The database; a PostgreSQL database must exist before the first start.',
  },
  drainSeconds: {
    name: 'LATCHKEY_DRAIN_SECONDS',
    group: 'Processes',
    type: integer(0, 3600, 'seconds'),
    defaultOf: ({ databaseUrl }) => (databaseUrl.startsWith('sqlite:') ? 0 : 5),
    defaultText: '5; with SQLite 0',
    about: 'How long a stopping node accepts connections after `/readyz` reports 503.',
    notes: 'A load balancer must notice the 503 within this time.',
  },
  databasePoolMax: {
    name: 'LATCHKEY_DATABASE_POOL_MAX',
    group: 'Storage',
    type: integer(1, 1000, 'connections'),
    default: '10',
    about: 'The maximum number of PostgreSQL connections of each process.',
  },
  databaseConnectSeconds: {
    name: 'LATCHKEY_DATABASE_CONNECT_SECONDS',
    group: 'Storage',
    type: integer(1, 300, 'seconds'),
    default: '5',
    about: 'How long a call waits for a PostgreSQL connection before it fails with `unavailable`.',
  },
  databaseQuerySeconds: {
    name: 'LATCHKEY_DATABASE_QUERY_SECONDS',
    group: 'Storage',
    type: integer(1, 300, 'seconds'),
    default: '10',
    about: 'How long a PostgreSQL query may take, except in a migration.',
  },
  migrate: {
    name: 'LATCHKEY_MIGRATE',
    group: 'Storage',
    type: oneOf('auto', 'off'),
    default: 'auto',
    about:
      'Whether a start migrates the schema (`auto`) or requires the command `migrate` (`off`).',
    notes: 'See [Upgrades](operations.md#upgrades).',
  },
  blobs: {
    name: 'LATCHKEY_BLOB_URL',
    group: 'Storage',
    type: blobUrl,
    defaultOf: ({ dataDir }): BlobLocation => ({ kind: 'folder', path: `${dataDir}/blobs` }),
    defaultText: '`file:<data>/blobs`',
    about: 'The folder, or the S3 bucket and prefix, for the content of documents.',
    notes:
      'The AWS SDK finds the credentials in its environment. `region` defaults to the region of ' +
      'the SDK, `endpoint` to Amazon S3, and `path_style` to `true` with an endpoint. ' +
      'See [S3](operations.md#s3).',
  },
  masterKey: {
    name: 'LATCHKEY_MASTER_KEY',
    group: 'Storage',
    type: masterKey,
    isSecret: true,
    defaultText: 'the file `<data>/master.key`',
    about:
      "Encrypts the signing keys, the users' second factors and the secrets at identity providers.",
    notes:
      'The first start creates the file, mode 0600. Keep a copy, apart from the other backups. ' +
      '`openssl rand -hex 32` creates a key.',
  },
  previousMasterKey: {
    name: 'LATCHKEY_PREVIOUS_MASTER_KEY',
    group: 'Storage',
    type: masterKey,
    isSecret: true,
    about: 'The old master key: decrypts the values that a rotation has not re-encrypted yet.',
    notes: 'See [Keys](operations.md#keys).',
  },
} as const satisfies SettingTable;
