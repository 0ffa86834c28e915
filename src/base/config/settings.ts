// Every setting, defined once. The parser, the known names, the type `Config` and docs/settings.md
// come from this table. The default of a setting may depend on settings above it.
import { tokenSecondsMax } from '../limits/token-seconds.ts';
import { blobUrl } from './blob-url.ts';
import { localSender, sender, senderOf, smtpUrl } from './mail.ts';
import { nodeSettings } from './node-settings.ts';
import type { SettingTable } from './setting.ts';
import { flag, integer, networks, oneOf, recipients, schedule, text } from './values.ts';

const count = integer(0, 4_294_967_295);

export const settings = {
  ...nodeSettings,
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
    type: integer(1, tokenSecondsMax, 'seconds'),
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
  localPasswords: {
    name: 'LATCHKEY_LOCAL_PASSWORDS',
    group: 'Tokens',
    type: oneOf('on', 'off'),
    default: 'on',
    about: 'Whether users can sign in with a password (`on`), or only with an identity provider.',
    notes:
      'Passwords that the command `recover-staff` has set always work. ' +
      'See [Company sign-in](guides/company-sign-in.md).',
  },
  requireSecondFactor: {
    name: 'LATCHKEY_REQUIRE_SECOND_FACTOR',
    group: 'Tokens',
    type: oneOf('off', 'staff'),
    default: 'off',
    about: 'Who needs a second factor: no one (`off`), or `staff`.',
    notes:
      'A second factor is a passkey, an authenticator app, or a provider that reports `mfa`. ' +
      'Workspaces have their own rule. See [Passkeys and second factors](guides/sign-in.md).',
  },
  secondFactorGraceDays: {
    name: 'LATCHKEY_SECOND_FACTOR_GRACE_DAYS',
    group: 'Tokens',
    type: integer(0, 30, 'days'),
    default: '7',
    about: 'How long staff can work without the required second factor.',
    notes: 'The period begins with the first start with the requirement.',
  },
  egressNetworks: {
    name: 'LATCHKEY_EGRESS_NETWORKS',
    group: 'Tokens',
    type: networks,
    defaultOf: (): readonly string[] => [],
    defaultText: 'none',
    about:
      'The networks, other than the public internet, in which the service calls trusted issuers ' +
      'and identity providers.',
    notes:
      'Necessary for one in a private network, such as `10.0.0.0/8`. At a loopback address that ' +
      'is listed here, `http` is accepted, too.',
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
    about: 'The size of the largest document, by default 104.8 MB.',
  },
  workspaceBytesMax: {
    name: 'LATCHKEY_WORKSPACE_BYTES_MAX',
    group: 'Documents and quotas',
    type: integer(0, Number.MAX_SAFE_INTEGER, 'bytes'),
    default: '107374182400',
    about: "The total size of a workspace's documents, by default 107.4 GB.",
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
  blobRedirectSeconds: {
    name: 'LATCHKEY_BLOB_REDIRECT_SECONDS',
    group: 'Documents and quotas',
    type: integer(0, 300, 'seconds'),
    default: '0',
    about:
      'With an S3 store: API downloads are redirected to a URL of the store that is valid for ' +
      'this time; 0 turns this off.',
    notes: 'See [Redirecting downloads](operations.md#redirecting-downloads).',
  },
  officeCommand: {
    name: 'LATCHKEY_OFFICE_COMMAND',
    group: 'Documents and quotas',
    type: text,
    emptyValue: '',
    defaultText: '`soffice`, if it is installed',
    about:
      'The command of LibreOffice, which makes previews of Office files; empty turns them off.',
    notes: 'See [Previews of Office files](operations.md#previews-of-office-files).',
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
  usageMetrics: {
    name: 'LATCHKEY_USAGE_METRICS',
    group: 'Logs',
    type: oneOf('off', 'on'),
    default: 'off',
    about: 'Whether `/metrics` counts the token requests of each client and customer.',
    notes: 'Adds a time series for each of them and each outcome, at most 10,000 in each process.',
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
    about: 'The public keys of age that `backup` encrypts for.',
    notes:
      '`node dist/src/main.js backup --make-key <file>` makes a key. See ' +
      '[Backup and restore](operations.md#backup-and-restore).',
  },
  backupSchedule: {
    name: 'LATCHKEY_BACKUP_SCHEDULE',
    group: 'Backup',
    type: schedule,
    about: 'When the service makes a backup: five fields of cron, in UTC.',
    notes:
      'Needs `LATCHKEY_BACKUP_RECIPIENT` and `LATCHKEY_BACKUP_TARGET`. One process of all nodes ' +
      'makes the backup. See [Scheduled backups](operations.md#scheduled-backups).',
  },
  backupTarget: {
    name: 'LATCHKEY_BACKUP_TARGET',
    group: 'Backup',
    type: blobUrl,
    about: 'Where `backup` stores a backup if no file is named: a folder, or a part of a bucket.',
    notes: 'Use another disk, or another bucket with other credentials, than for the documents.',
  },
  backupKeep: {
    name: 'LATCHKEY_BACKUP_KEEP',
    group: 'Backup',
    type: integer(1, 1_000),
    default: '7',
    about: 'How many backups stay in the target. `backup` removes older ones.',
  },
  backupIdentity: {
    name: 'LATCHKEY_BACKUP_IDENTITY',
    group: 'Backup',
    type: text,
    isSecret: true,
    about: 'The secret key of age that `restore` decrypts with.',
    notes: 'Keep the key on another machine. The service does not need it.',
  },
} as const satisfies SettingTable;
