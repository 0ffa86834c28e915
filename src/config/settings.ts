// Every setting, defined once. The parser, the known names, the type `Config` and docs/settings.md
// come from this table. The default of a setting may depend on settings above it.
import { type BlobLocation, blobUrl } from './blob-url.ts';
import { localSender, sender, senderOf, smtpUrl } from './mail.ts';
import {
  address,
  databaseUrl,
  flag,
  integer,
  masterKey,
  networks,
  oneOf,
  origin,
  recipients,
  text,
  type ValueType,
} from './values.ts';

export const settingGroups = [
  'Network',
  'Processes',
  'Storage',
  'Tokens',
  'Documents and quotas',
  'Mail',
  'Logs',
  'First start',
  'Backup',
] as const;

/** The settings that the defaults of later settings depend on. */
export type EarlierSettings = {
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  readonly databaseUrl: string;
};

/** A setting without `default` and `defaultOf` is undefined if the environment does not set it. */
export type Setting = {
  readonly name: `LATCHKEY_${string}`;
  readonly group: (typeof settingGroups)[number];
  readonly type: ValueType<unknown>;
  /** The default, written as in the environment. */
  readonly default?: string;
  readonly defaultOf?: (earlier: EarlierSettings) => unknown;
  /** Describes a default that is not a fixed text, for the documentation. */
  readonly defaultText?: string;
  /** One sentence for the documentation. */
  readonly about: string;
  /** More sentences for the documentation. */
  readonly notes?: string;
  /** Whether the value may be in a file that `<name>_FILE` names. */
  readonly isSecret?: true;
};

const count = integer(0, 4_294_967_295);

export const settings = {
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
    about: 'Whether a start migrates the schema (`auto`) or requires `latchkey migrate` (`off`).',
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
    about: "Encrypts the signing keys and the users' second factors.",
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
  audience: {
    name: 'LATCHKEY_AUDIENCE',
    group: 'Tokens',
    type: text,
    defaultText: 'the public URL',
    about: 'The `aud` of tokens.',
  },
  serviceTokenSeconds: {
    name: 'LATCHKEY_SERVICE_TOKEN_SECONDS',
    group: 'Tokens',
    type: integer(1, 3600, 'seconds'),
    default: '300',
    about: "The lifetime of a client's token.",
  },
  customerTokenSeconds: {
    name: 'LATCHKEY_CUSTOMER_TOKEN_SECONDS',
    group: 'Tokens',
    type: integer(1, 60, 'seconds'),
    default: '60',
    about: "The lifetime of a customer's token.",
  },
  stepUpSeconds: {
    name: 'LATCHKEY_STEP_UP_SECONDS',
    group: 'Tokens',
    type: integer(1, 86_400, 'seconds'),
    default: '300',
    about: 'How long a sign-in counts as recent; sensitive actions require a recent one.',
  },
  keyRotationDays: {
    name: 'LATCHKEY_KEY_ROTATION_DAYS',
    group: 'Tokens',
    type: integer(1, 3650, 'days'),
    default: '30',
    about: 'How long a signing key is active before the next one replaces it.',
  },
  uploadBytesMax: {
    name: 'LATCHKEY_MAX_UPLOAD_BYTES',
    group: 'Documents and quotas',
    type: integer(1, 4_294_967_295, 'bytes'),
    default: '104857600',
    about: 'The size of the largest document, by default 100 MiB.',
  },
  workspaceBytesMax: {
    name: 'LATCHKEY_WORKSPACE_BYTES_MAX',
    group: 'Documents and quotas',
    type: integer(0, Number.MAX_SAFE_INTEGER, 'bytes'),
    default: '107374182400',
    about: "The total size of a workspace's documents, by default 100 GiB.",
    notes:
      'This setting and the next three are the quota of each workspace without a separate quota. ' +
      'See [Quotas](operations.md#quotas).',
  },
  workspaceDocumentsMax: {
    name: 'LATCHKEY_WORKSPACE_DOCUMENTS_MAX',
    group: 'Documents and quotas',
    type: count,
    default: '100000',
    about: 'The number of documents in a workspace.',
  },
  workspaceLinksMax: {
    name: 'LATCHKEY_WORKSPACE_LINKS_MAX',
    group: 'Documents and quotas',
    type: count,
    default: '100000',
    about: 'The number of links in a workspace, revoked ones included.',
  },
  workspaceViewsMax: {
    name: 'LATCHKEY_WORKSPACE_VIEWS_MAX',
    group: 'Documents and quotas',
    type: count,
    default: '1000000',
    about: 'The number of recorded views in a workspace.',
  },
  blobCheckDays: {
    name: 'LATCHKEY_BLOB_CHECK_DAYS',
    group: 'Documents and quotas',
    type: integer(0, 3650, 'days'),
    default: '30',
    about: 'The time within which every stored document is verified; 0 turns this off.',
    notes: 'See [Stored documents](operations.md#stored-documents).',
  },
  smtp: {
    name: 'LATCHKEY_SMTP_URL',
    group: 'Mail',
    type: smtpUrl,
    isSecret: true,
    about: 'The mail server; without it, each mail is an `.eml` file in `<data>/outbox`.',
    notes:
      'Percent-encode characters such as `@`, `:` and `#` in the user and the password. ' +
      'See [Mail](operations.md#mail).',
  },
  mailFrom: {
    name: 'LATCHKEY_MAIL_FROM',
    group: 'Mail',
    type: sender,
    defaultOf: ({ publicUrl }) => senderOf(publicUrl) ?? localSender,
    defaultText: '`Latchkey <no-reply@…>`, with the domain of the public URL, else `localhost`',
    about: 'The sender of mails.',
    notes: 'Required for a mail server on another machine if the public URL has no domain.',
  },
  logLevel: {
    name: 'LATCHKEY_LOG_LEVEL',
    group: 'Logs',
    type: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    about: 'The level from which lines are logged.',
  },
  logFormat: {
    name: 'LATCHKEY_LOG_FORMAT',
    group: 'Logs',
    type: oneOf('json', 'pretty'),
    defaultText: '`pretty` if standard output is a terminal, else `json`',
    about: 'The format of the log: one JSON object per line, or one readable line per request.',
    notes: '`pretty` is for people and may change; let programs read `json`.',
  },
  auditRetentionDays: {
    name: 'LATCHKEY_AUDIT_RETENTION_DAYS',
    group: 'Logs',
    type: integer(1, 36_500, 'days'),
    default: '365',
    about: 'How long audit events are kept.',
  },
  bootstrap: {
    name: 'LATCHKEY_BOOTSTRAP',
    group: 'First start',
    type: oneOf('demo', 'owner', 'none'),
    defaultOf: (earlier) => (earlier.databaseUrl.startsWith('sqlite:') ? 'demo' : 'owner'),
    defaultText: '`demo`; with PostgreSQL `owner`',
    about:
      'The contents that the first start writes to an empty database: a staff user and demo data ' +
      '(`demo`), only a staff user (`owner`), or no user (`none`).',
    notes:
      'The first start writes the generated credentials to `<data>/bootstrap.env`, mode 0600, ' +
      'and never to the log. With `demo`, it also shows the sign-in once on a terminal. A ' +
      'container with a terminal (`docker run -t`) keeps this text in its log: use `owner` there.',
  },
  bootstrapForce: {
    name: 'LATCHKEY_BOOTSTRAP_FORCE',
    group: 'First start',
    type: flag,
    default: 'false',
    about:
      'Whether a start fills an empty database even if the master key or documents of an earlier ' +
      'installation exist.',
    notes: 'Otherwise such a start is refused. Set it for one start only.',
  },
  backupRecipients: {
    name: 'LATCHKEY_BACKUP_RECIPIENT',
    group: 'Backup',
    type: recipients,
    about: 'The public keys of age that `latchkey backup` encrypts for.',
    notes:
      '`latchkey backup --make-key <file>` makes a key. See [Backup and restore]' +
      '(operations.md#backup-and-restore).',
  },
  backupIdentity: {
    name: 'LATCHKEY_BACKUP_IDENTITY',
    group: 'Backup',
    type: text,
    isSecret: true,
    about: 'The secret key of age that `latchkey restore` decrypts with.',
    notes: 'Keep the key on another machine. The service does not need it.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
