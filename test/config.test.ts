import { describe, expect, test } from 'vitest';
import { readConfig } from '../src/base/config/config.ts';
import { problemsOf } from './support/config-problems.ts';
import { itHoldsFor } from './support/rule.ts';

test('every setting has a default', () => {
  expect(readConfig({})).toEqual({
    dataDir: './data',
    http: { host: '127.0.0.1', port: 8080 },
    grpc: { host: '127.0.0.1', port: 50051 },
    ops: { host: '127.0.0.1', port: 9464 },
    publicUrl: undefined,
    tlsCert: undefined,
    tlsKey: undefined,
    httpClientCa: undefined,
    grpcClientCa: undefined,
    corsOrigins: [],
    databaseUrl: 'sqlite:./data/latchkey.db',
    databasePoolMax: 10,
    databaseConnectSeconds: 5,
    databaseQuerySeconds: 10,
    migrate: 'auto',
    workers: 1,
    drainSeconds: 0,
    grpcConnectionAgeSeconds: 300,
    blobs: { kind: 'folder', path: './data/blobs' },
    masterKey: undefined,
    previousMasterKey: undefined,
    audience: undefined,
    serviceTokenSeconds: 300,
    customerTokenSeconds: 60,
    stepUpSeconds: 300,
    localPasswords: 'on',
    requireSecondFactor: 'off',
    secondFactorGraceDays: 7,
    egressNetworks: [],
    keyRotationDays: 30,
    uploadBytesMax: 104_857_600,
    workspaceBytesMax: 107_374_182_400,
    workspaceDocumentsMax: 100_000,
    workspaceLinksMax: 100_000,
    workspaceViewsMax: 1_000_000,
    smtp: undefined,
    mailFrom: { name: 'Latchkey', address: 'no-reply@localhost' },
    trustedProxies: [],
    blobCheckDays: 30,
    blobRedirectSeconds: 0,
    officeCommand: undefined,
    usageMetrics: 'off',
    auditRetentionDays: 365,
    logLevel: 'info',
    logFormat: undefined,
    bootstrap: 'demo',
    bootstrapForce: false,
    backupRecipients: undefined,
    backupSchedule: undefined,
    backupTarget: undefined,
    backupKeep: 7,
    backupIdentity: undefined,
  });
});

test('the previous master key is another one', () => {
  const key = 'ab'.repeat(32);
  const env = { LATCHKEY_MASTER_KEY: key, LATCHKEY_PREVIOUS_MASTER_KEY: key.toUpperCase() };
  expect(problemsOf(env)).toEqual([
    'LATCHKEY_PREVIOUS_MASTER_KEY: must differ from LATCHKEY_MASTER_KEY',
  ]);
});

test('downloads are not redirected to a folder', () => {
  const env = { LATCHKEY_BLOB_REDIRECT_SECONDS: '60' };
  expect(problemsOf(env)).toEqual([
    'LATCHKEY_BLOB_REDIRECT_SECONDS: must be 0, because LATCHKEY_BLOB_URL is not an S3 store',
  ]);
  const withStore = { ...env, LATCHKEY_BLOB_URL: 's3://bucket/prefix?region=eu-west-1' };
  expect(readConfig(withStore)).toMatchObject({ blobRedirectSeconds: 60 });
});

describe('a setting', () => {
  itHoldsFor([
    ['DATA_DIR', '/var/lib/x', { dataDir: '/var/lib/x' }],
    ['DATA_DIR', '/var/lib/x', { databaseUrl: 'sqlite:/var/lib/x/latchkey.db' }],
    ['HTTP_ADDRESS', '0.0.0.0:80', { http: { host: '0.0.0.0', port: 80 } }],
    ['HTTP_ADDRESS', 'localhost:0', { http: { host: 'localhost', port: 0 } }],
    ['HTTP_ADDRESS', '[::1]:65535', { http: { host: '::1', port: 65_535 } }],
    ['GRPC_ADDRESS', '10.0.0.1:1', { grpc: { host: '10.0.0.1', port: 1 } }],
    ['OPS_ADDRESS', '10.0.0.1:2', { ops: { host: '10.0.0.1', port: 2 } }],
    ['PUBLIC_URL', 'https://a.example', { publicUrl: 'https://a.example' }],
    ['PUBLIC_URL', 'http://a.example:81/', { publicUrl: 'http://a.example:81' }],
    ['DATABASE_URL', 'sqlite:/x/y.db', { databaseUrl: 'sqlite:/x/y.db', bootstrap: 'demo' }],
    ['BOOTSTRAP_FORCE', 'true', { bootstrapForce: true }],
    ['DATABASE_URL', 'postgres://u:p@h/d', { databaseUrl: 'postgres://u:p@h/d' }],
    ['DATABASE_URL', 'postgresql://h/d', { bootstrap: 'owner' }],
    ['BLOB_URL', 'file:/var/blobs', { blobs: { kind: 'folder', path: '/var/blobs' } }],
    ['BLOB_URL', 's3://docs', { blobs: { bucket: 'docs', prefix: '', pathStyle: false } }],
    ['BLOB_URL', 's3://docs/', { blobs: { kind: 's3', bucket: 'docs', prefix: '' } }],
    ['BLOB_URL', 's3://docs/a/b/', { blobs: { bucket: 'docs', prefix: 'a/b/' } }],
    ['BLOB_URL', 's3://docs/a?region=eu-west-1', { blobs: { prefix: 'a/', region: 'eu-west-1' } }],
    [
      'BLOB_URL',
      's3://docs?endpoint=https://s3.example:9000/',
      { blobs: { endpoint: 'https://s3.example:9000', pathStyle: true } },
    ],
    ['BLOB_URL', 's3://docs?endpoint=http%3A%2F%2Fh%3A1', { blobs: { endpoint: 'http://h:1' } }],
    ['BLOB_URL', 's3://d-0?endpoint=http://h&path_style=false', { blobs: { pathStyle: false } }],
    ['BLOB_URL', 's3://docs?path_style=true', { blobs: { endpoint: undefined, pathStyle: true } }],
    ['MASTER_KEY', 'aB'.repeat(32), { masterKey: Buffer.alloc(32, 0xab) }],
    ['PREVIOUS_MASTER_KEY', 'cd'.repeat(32), { previousMasterKey: Buffer.alloc(32, 0xcd) }],
    ['AUDIENCE', 'urn:x', { audience: 'urn:x' }],
    ['SERVICE_TOKEN_SECONDS', '1', { serviceTokenSeconds: 1 }],
    ['SERVICE_TOKEN_SECONDS', '3600', { serviceTokenSeconds: 3600 }],
    ['CUSTOMER_TOKEN_SECONDS', '1', { customerTokenSeconds: 1 }],
    ['STEP_UP_SECONDS', '86400', { stepUpSeconds: 86_400 }],
    ['KEY_ROTATION_DAYS', '1', { keyRotationDays: 1 }],
    ['KEY_ROTATION_DAYS', '3650', { keyRotationDays: 3650 }],
    ['MAX_UPLOAD_BYTES', '4294967295', { uploadBytesMax: 4_294_967_295 }],
    ['WORKSPACE_BYTES_MAX', String(2 ** 53 - 1), { workspaceBytesMax: 2 ** 53 - 1 }],
    ['WORKSPACE_DOCUMENTS_MAX', '0', { workspaceDocumentsMax: 0 }],
    ['WORKSPACE_LINKS_MAX', '5', { workspaceLinksMax: 5 }],
    ['WORKSPACE_VIEWS_MAX', '4294967295', { workspaceViewsMax: 4_294_967_295 }],
    ['AUDIT_RETENTION_DAYS', '1', { auditRetentionDays: 1 }],
    ['AUDIT_RETENTION_DAYS', '36500', { auditRetentionDays: 36_500 }],
    ['TRUSTED_PROXIES', '10.0.0.1', { trustedProxies: ['10.0.0.1'] }],
    ['TRUSTED_PROXIES', '10.0.0.0/8, ::1/128', { trustedProxies: ['10.0.0.0/8', '::1/128'] }],
    ['MAIL_FROM', 'a@b.example', { mailFrom: { name: '', address: 'a@b.example' } }],
    ['MAIL_FROM', ' We <A@b.example> ', { mailFrom: { name: 'We', address: 'A@b.example' } }],
    ['MAIL_FROM', '"Us, Inc." <a@b.example>', { mailFrom: { name: 'Us, Inc.' } }],
    ['MAIL_FROM', 'Grüße <a@b.example>', { mailFrom: { name: 'Grüße' } }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['LOG_FORMAT', 'json', { logFormat: 'json' }],
    ['LOG_FORMAT', 'pretty', { logFormat: 'pretty' }],
    ['BOOTSTRAP', 'none', { bootstrap: 'none' }],
  ])('may have each valid value', (name, value, expected) => {
    expect(readConfig({ [`LATCHKEY_${name}`]: value })).toMatchObject(expected);
  });

  itHoldsFor([
    ['HTTP_ADDRESS', '8080'],
    ['HTTP_ADDRESS', ':8080'],
    ['HTTP_ADDRESS', 'host:'],
    ['HTTP_ADDRESS', 'host:65536'],
    ['HTTP_ADDRESS', 'host:-1'],
    ['HTTP_ADDRESS', '::1:80'],
    ['HTTP_ADDRESS', 'http://host:80'],
    ['HTTP_ADDRESS', 'two hosts:80'],
    ['GRPC_ADDRESS', 'unix:/run/x'],
    ['OPS_ADDRESS', 'host:x'],
    ['PUBLIC_URL', 'example.com'],
    ['PUBLIC_URL', 'ftp://example.com'],
    ['PUBLIC_URL', 'https://example.com/path'],
    ['PUBLIC_URL', 'https://example.com?query'],
    ['PUBLIC_URL', 'https://user:word@example.com'],
    ['DATABASE_URL', 'sqlite:'],
    ['DATABASE_URL', 'mysql://h/d'],
    ['DATABASE_URL', '/var/lib/x.db'],
    ['BLOB_URL', 'file:'],
    ['BLOB_URL', '/var/blobs'],
    ['BLOB_URL', 's3:'],
    ['BLOB_URL', 's3:bucket'],
    ['MASTER_KEY', 'ab'.repeat(31)],
    ['MASTER_KEY', 'ab'.repeat(33)],
    ['MASTER_KEY', 'xy'.repeat(32)],
    ['PREVIOUS_MASTER_KEY', 'ab'.repeat(31)],
    ['SERVICE_TOKEN_SECONDS', '0'],
    ['SERVICE_TOKEN_SECONDS', '3601'],
    ['SERVICE_TOKEN_SECONDS', '1.5'],
    ['SERVICE_TOKEN_SECONDS', '1e2'],
    ['SERVICE_TOKEN_SECONDS', ' 60'],
    ['SERVICE_TOKEN_SECONDS', '-60'],
    ['WORKSPACE_BYTES_MAX', String(2 ** 53)],
    ['WORKSPACE_DOCUMENTS_MAX', '-1'],
    ['WORKSPACE_LINKS_MAX', '1.5'],
    ['WORKSPACE_VIEWS_MAX', '4294967296'],
    ['CUSTOMER_TOKEN_SECONDS', '0'],
    ['CUSTOMER_TOKEN_SECONDS', '61'],
    ['STEP_UP_SECONDS', '86401'],
    ['KEY_ROTATION_DAYS', '0'],
    ['KEY_ROTATION_DAYS', '3651'],
    ['KEY_ROTATION_DAYS', '0.5'],
    ['MAX_UPLOAD_BYTES', '4294967296'],
    ['MAX_UPLOAD_BYTES', '0'],
    ['MAX_UPLOAD_BYTES', '100MB'],
    ['AUDIT_RETENTION_DAYS', '0'],
    ['AUDIT_RETENTION_DAYS', '36501'],
    ['AUDIT_RETENTION_DAYS', '0.5'],
    ['TRUSTED_PROXIES', 'proxy.example.com'],
    ['TRUSTED_PROXIES', 'true'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '0.0.0.0/0'],
    ['TRUSTED_PROXIES', '::/0'],
    ['TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['TRUSTED_PROXIES', '10.0.0.0/'],
    ['TRUSTED_PROXIES', '::1/129'],
    ['TRUSTED_PROXIES', '10.0.0.1,'],
    ['SMTP_URL', 'mail.example.com'],
    ['SMTP_URL', 'http://mail.example.com'],
    ['SMTP_URL', 'smtp:mail.example.com'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'smtp://mail.example.com:65536'],
    ['SMTP_URL', 'smtp://mail.example.com:465'],
    ['SMTP_URL', 'smtp://mail.example.com/?requireTLS=false'],
    ['SMTP_URL', 'smtp://mail.example.com/path'],
    ['SMTP_URL', 'smtp://user@mail.example.com'],
    ['SMTP_URL', 'smtp://:word@mail.example.com'],
    ['SMTP_URL', 'smtp://user:%zz@mail.example.com'],
    ['SMTP_URL', 'smtp://user:w#rd@mail.example.com'],
    ['MAIL_FROM', 'Latchkey'],
    ['MAIL_FROM', 'no-reply@localhost'],
    ['MAIL_FROM', 'a@b.example, c@d.example'],
    ['MAIL_FROM', 'We <a@b.example> <c@d.example>'],
    ['MAIL_FROM', 'We\r\nBcc: c@d.example <a@b.example>'],
    ['MAIL_FROM', 'We <a@b.example'],
    ['LOG_LEVEL', 'INFO'],
    ['LOG_FORMAT', 'text'],
    ['BOOTSTRAP', 'yes'],
    ['BOOTSTRAP_FORCE', '1'],
    ['BOOTSTRAP_FORCE', 'constructor'],
  ])('may not have an invalid value', (name, value) => {
    const problems = problemsOf({ [`LATCHKEY_${name}`]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^LATCHKEY_${name}: must be `));
  });

  test('that is empty counts as not set', () => {
    const env = { LATCHKEY_HTTP_ADDRESS: '', LATCHKEY_DATABASE_URL: '', LATCHKEY_BOOTSTRAP: '' };
    expect(readConfig(env)).toEqual(readConfig({}));
  });

  test('with an unknown name is refused: it may be misspelled', () => {
    expect(problemsOf({ LATCHKEY_HTTP_ADRESS: 'host:1', OTHER: 'x' })).toEqual([
      'LATCHKEY_HTTP_ADRESS: there is no such setting',
    ]);
  });
});

test('the file of the first start may be sourced before the next one', () => {
  const config = readConfig({
    LATCHKEY_BASE_URL: 'http://127.0.0.1:8080',
    LATCHKEY_SHARING_BASE_URL: 'http://127.0.0.1:8080/api/v1',
    LATCHKEY_GRPC_ADDRESS: '127.0.0.1:50051',
    LATCHKEY_OPS_URL: 'http://127.0.0.1:9464',
  });
  expect(config).toEqual(readConfig({}));
});

test('variables that Kubernetes sets for a service named latchkey are ignored', () => {
  const env = {
    LATCHKEY_SERVICE_HOST: '10.0.0.1',
    LATCHKEY_SERVICE_PORT_HTTP: '80',
    LATCHKEY_PORT: 'tcp://10.0.0.1:80',
    LATCHKEY_PORT_80_TCP_ADDR: '10.0.0.1',
  };
  expect(readConfig(env)).toEqual(readConfig({}));
});

test('an explicit bootstrap holds with any database', () => {
  const env = { LATCHKEY_DATABASE_URL: 'postgres://h/d', LATCHKEY_BOOTSTRAP: 'demo' };
  expect(readConfig(env).bootstrap).toBe('demo');
});

test('no bad value is repeated: it may be a secret', () => {
  const settings = ['HTTP_ADDRESS', 'PUBLIC_URL', 'DATABASE_URL', 'BLOB_URL', 'MASTER_KEY'];
  const others = ['SERVICE_TOKEN_SECONDS', 'MAX_UPLOAD_BYTES', 'LOG_LEVEL', 'BOOTSTRAP', 'TYPO'];
  const mail = ['SMTP_URL', 'MAIL_FROM'];
  const env = [...settings, ...mail, ...others].map((name) => [
    `LATCHKEY_${name}`,
    'x://u:hunter2@h/p q',
  ]);
  const problems = problemsOf(Object.fromEntries(env));
  expect(problems).toHaveLength(env.length);
  expect(problems.join('\n')).not.toContain('hunter2');
});

test('all problems are reported at once', () => {
  const problems = problemsOf({
    LATCHKEY_HTTP_ADDRESS: 'x',
    LATCHKEY_LOG_LEVEL: 'x',
    LATCHKEY_NO: 'x',
  });
  expect(problems.map((problem) => problem.split(':', 1)[0])).toEqual([
    'LATCHKEY_NO',
    'LATCHKEY_HTTP_ADDRESS',
    'LATCHKEY_LOG_LEVEL',
  ]);
});
