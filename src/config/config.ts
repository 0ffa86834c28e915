// The environment -> Config. Pure: touches no file and no network. Every bad value is reported at
// once, never echoed.
import { isIP } from 'node:net';
import {
  localSender,
  readSender,
  readSmtpUrl,
  type Sender,
  type SmtpSettings,
  senderOf,
} from './mail.ts';

export type Address = {
  readonly host: string /** 0 means any free port. */;
  readonly port: number;
};

export type Bootstrap = 'demo' | 'owner' | 'none';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export type Config = {
  readonly dataDir: string;
  readonly http: Address;
  readonly grpc: Address;
  readonly ops: Address;
  /** Undefined: made of the HTTP address once that is known. */
  readonly publicUrl: string | undefined;
  /** `sqlite:<file>` or `postgres://…`. */
  readonly databaseUrl: string;
  /** The folder of the documents' bytes. */
  readonly blobDir: string;
  /** 32 bytes; undefined: a file in the data folder. */
  readonly masterKey: Uint8Array | undefined;
  /** 32 bytes: opens what is still encrypted under it. Undefined: none. */
  readonly previousMasterKey: Uint8Array | undefined;
  /** Undefined: the public url. */
  readonly audience: string | undefined;
  readonly serviceTokenSeconds: number;
  readonly customerTokenSeconds: number;
  readonly stepUpSeconds: number;
  readonly keyRotationDays: number;
  readonly uploadBytesMax: number;
  /** The quota of a workspace that has no other. */
  readonly workspaceQuota: {
    readonly bytesMax: number;
    readonly documentsMax: number;
    readonly linksMax: number;
    readonly viewsMax: number;
  };
  /** Undefined: mails are files in the data folder. */
  readonly smtp: SmtpSettings | undefined;
  readonly mailFrom: Sender;
  /** Addresses and networks (CIDR) whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly auditRetentionDays: number;
  /** Within how many days the stored bytes of every document are verified; 0 is never. */
  readonly blobCheckDays: number;
  readonly logLevel: LogLevel;
  readonly bootstrap: Bootstrap;
  /** Fills an empty database although files of an earlier installation are left. */
  readonly bootstrapForce: boolean;
};

/** All that is wrong with the environment. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const known = [
  'LATCHKEY_DATA_DIR',
  'LATCHKEY_HTTP_ADDRESS',
  'LATCHKEY_GRPC_ADDRESS',
  'LATCHKEY_OPS_ADDRESS',
  'LATCHKEY_PUBLIC_URL',
  'LATCHKEY_DATABASE_URL',
  'LATCHKEY_BLOB_URL',
  'LATCHKEY_MASTER_KEY',
  'LATCHKEY_PREVIOUS_MASTER_KEY',
  'LATCHKEY_AUDIENCE',
  'LATCHKEY_SERVICE_TOKEN_SECONDS',
  'LATCHKEY_CUSTOMER_TOKEN_SECONDS',
  'LATCHKEY_STEP_UP_SECONDS',
  'LATCHKEY_KEY_ROTATION_DAYS',
  'LATCHKEY_MAX_UPLOAD_BYTES',
  'LATCHKEY_WORKSPACE_BYTES_MAX',
  'LATCHKEY_WORKSPACE_DOCUMENTS_MAX',
  'LATCHKEY_WORKSPACE_LINKS_MAX',
  'LATCHKEY_WORKSPACE_VIEWS_MAX',
  'LATCHKEY_SMTP_URL',
  'LATCHKEY_MAIL_FROM',
  'LATCHKEY_TRUSTED_PROXIES',
  'LATCHKEY_AUDIT_RETENTION_DAYS',
  'LATCHKEY_BLOB_CHECK_DAYS',
  'LATCHKEY_LOG_LEVEL',
  'LATCHKEY_BOOTSTRAP',
  'LATCHKEY_BOOTSTRAP_FORCE',
] as const;

type Name = (typeof known)[number];

// Written by the bootstrap into a file that people source; they are no settings.
const ignored = new Set(['LATCHKEY_BASE_URL', 'LATCHKEY_SHARING_BASE_URL', 'LATCHKEY_OPS_URL']);

// What Kubernetes sets for a Service whose name begins with `latchkey`.
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\w+)?)$/;

/** Reads the settings. Throws a ConfigError that names every bad one. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  for (const name of Object.keys(env)) {
    if (!name.startsWith('LATCHKEY_') || ignored.has(name) || serviceLink.test(name)) continue;
    if (!known.some((one) => one === name)) problems.push(`${name}: there is no such setting`);
  }
  const read = createReader(env, problems);
  const dataDir = read('LATCHKEY_DATA_DIR', './data', (text) => text);
  const database = env.LATCHKEY_DATABASE_URL ?? '';
  const publicUrl = read('LATCHKEY_PUBLIC_URL', undefined, readOrigin);
  const smtp = read('LATCHKEY_SMTP_URL', undefined, readSmtpUrl);
  const sender = senderOf(publicUrl);
  const config: Config = {
    dataDir,
    http: read('LATCHKEY_HTTP_ADDRESS', loopback(8080), readAddress),
    grpc: read('LATCHKEY_GRPC_ADDRESS', loopback(50051), readAddress),
    ops: read('LATCHKEY_OPS_ADDRESS', loopback(9464), readAddress),
    publicUrl,
    databaseUrl: read('LATCHKEY_DATABASE_URL', `sqlite:${dataDir}/latchkey.db`, readDatabaseUrl),
    blobDir: read('LATCHKEY_BLOB_URL', `${dataDir}/blobs`, readFolderUrl),
    masterKey: read('LATCHKEY_MASTER_KEY', undefined, readMasterKey),
    previousMasterKey: read('LATCHKEY_PREVIOUS_MASTER_KEY', undefined, readMasterKey),
    audience: read('LATCHKEY_AUDIENCE', undefined, (text) => text),
    serviceTokenSeconds: read('LATCHKEY_SERVICE_TOKEN_SECONDS', 300, integer(1, 3600)),
    customerTokenSeconds: read('LATCHKEY_CUSTOMER_TOKEN_SECONDS', 60, integer(1, 60)),
    stepUpSeconds: read('LATCHKEY_STEP_UP_SECONDS', 300, integer(1, 86_400)),
    keyRotationDays: read('LATCHKEY_KEY_ROTATION_DAYS', 30, integer(1, 3650)),
    uploadBytesMax: read('LATCHKEY_MAX_UPLOAD_BYTES', 104_857_600, integer(1, 4_294_967_295)),
    workspaceQuota: readWorkspaceQuota(read),
    smtp,
    mailFrom: read('LATCHKEY_MAIL_FROM', sender ?? localSender, readSender),
    trustedProxies: read('LATCHKEY_TRUSTED_PROXIES', [], readNetworks),
    blobCheckDays: read('LATCHKEY_BLOB_CHECK_DAYS', 30, integer(0, 3650)),
    auditRetentionDays: read('LATCHKEY_AUDIT_RETENTION_DAYS', 365, integer(1, 36_500)),
    logLevel: read('LATCHKEY_LOG_LEVEL', 'info', oneOf(logLevels)),
    bootstrap: read(
      'LATCHKEY_BOOTSTRAP',
      database === '' || database.startsWith('sqlite:') ? 'demo' : 'owner',
      oneOf(['demo', 'owner', 'none']),
    ),
    bootstrapForce: read('LATCHKEY_BOOTSTRAP_FORCE', 'false', oneOf(['true', 'false'])) === 'true',
  };
  if (sameBytes(config.masterKey, config.previousMasterKey)) {
    problems.push('LATCHKEY_PREVIOUS_MASTER_KEY: must be another one than LATCHKEY_MASTER_KEY');
  }
  const isRelayed = smtp !== undefined && smtp.encryption !== 'local';
  if (isRelayed && sender === undefined && !env.LATCHKEY_MAIL_FROM) {
    problems.push('LATCHKEY_MAIL_FROM: must be set, as LATCHKEY_PUBLIC_URL names no domain');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

type Read = ReturnType<typeof createReader>;

function readWorkspaceQuota(read: Read): Config['workspaceQuota'] {
  const bytes = integer(0, Number.MAX_SAFE_INTEGER);
  const count = integer(0, 4_294_967_295);
  return {
    bytesMax: read('LATCHKEY_WORKSPACE_BYTES_MAX', 107_374_182_400, bytes),
    documentsMax: read('LATCHKEY_WORKSPACE_DOCUMENTS_MAX', 100_000, count),
    linksMax: read('LATCHKEY_WORKSPACE_LINKS_MAX', 100_000, count),
    viewsMax: read('LATCHKEY_WORKSPACE_VIEWS_MAX', 1_000_000, count),
  };
}

/** Reads one value. Throws an Error whose message says what it should be. */
type Parse<T> = (text: string) => T;

function createReader(env: Readonly<Record<string, string | undefined>>, problems: string[]) {
  return <T, D>(name: Name, fallback: D, parse: Parse<T>): T | D => {
    const text = env[name];
    if (text === undefined || text === '') return fallback;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : 'is not usable'}`);
      return fallback;
    }
  };
}

const loopback = (port: number): Address => ({ host: '127.0.0.1', port });

function readAddress(text: string): Address {
  const [, host, port] = /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s]+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) throw new Error('must be <host>:<port>');
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin =
    url !== undefined && /^https?:$/.test(url.protocol) && text.replace(/\/$/, '') === url.origin;
  if (!isOrigin) throw new Error('must be an origin, such as https://example.com');
  return url.origin;
}

function readDatabaseUrl(text: string): string {
  if (/^sqlite:./.test(text)) return text;
  const isPostgres = /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);
  if (!isPostgres) throw new Error('must be sqlite:<file> or postgres://…');
  return text;
}

function readFolderUrl(text: string): string {
  if (text.startsWith('file:') && text.length > 'file:'.length) return text.slice('file:'.length);
  throw new Error('must be file:<folder>');
}

function readNetworks(text: string): string[] {
  const networks = text.split(',').map((network) => network.trim());
  for (const network of networks) {
    const [address = '', bits, ...rest] = network.split('/');
    const bitsMax = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const isBits = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= bitsMax);
    if (bitsMax < 0 || !isBits || rest.length > 0) {
      throw new Error('must be addresses and networks, such as 10.0.0.0/8, ::1');
    }
  }
  return networks;
}

function readMasterKey(text: string): Uint8Array {
  if (!/^[0-9a-fA-F]{64}$/.test(text))
    throw new Error('must be 32 bytes, as 64 hexadecimal digits');
  return Buffer.from(text, 'hex');
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a !== undefined && b !== undefined && Buffer.compare(a, b) === 0;
}

function integer(min: number, max: number): Parse<number> {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new Error(`must be a whole number, ${min} to ${max}`);
    return value;
  };
}

function oneOf<const T extends string>(values: readonly T[]): Parse<T> {
  return (text) => {
    const value = values.find((one) => one === text);
    if (value === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return value;
  };
}
