// The commands for an installation: its process, database, documents and keys.
import { type Command, jsonOption } from '../../clients/cli/src/base/command.ts';

const serve: Command = {
  name: 'serve',
  about: 'Starts the service.',
  details:
    'The first start creates a database, a signing key and credentials in <data>/bootstrap.env. ' +
    'SIGTERM and Ctrl-C stop the service: /readyz reports 503 for LATCHKEY_DRAIN_SECONDS, then ' +
    'calls in progress finish, and the process ends within 10 more seconds. A second signal ends ' +
    'it at once.',
  load: async () => (await import('./serve.ts')).runServe,
};

const migrate: Command = {
  name: 'migrate',
  about: 'Brings the schema of the database to the latest version.',
  details:
    'A start does the same, unless LATCHKEY_MIGRATE=off. Processes of this release and of the ' +
    'previous one may run at the same time. It applies all missing migrations or none, and ' +
    'prints one line for each.',
  options: [jsonOption],
  load: async () => (await import('./migrate.ts')).runMigrate,
};

const doctor: Command = {
  name: 'doctor',
  about: 'Checks the installation, or with --blobs all stored documents.',
  details:
    'Prints one line per check: "ok", "warning" or "problem", and the remedy. It may run while ' +
    'the service runs. It writes, reads and removes one small object in the blob store, and ' +
    'connects to the mail server without sending a mail. It changes nothing else.',
  options: [
    {
      name: 'blobs',
      about: 'Reads every document and compares its size and SHA-256 with the database.',
    },
    jsonOption,
  ],
  examples: ['doctor', 'doctor --json | jq -r \'.[] | select(.level == "problem")\''],
  statuses: {
    1: 'A check found a problem, an invalid setting or a damaged document.',
    2: 'The arguments are wrong; with --blobs, also the settings.',
  },
  load: async () => (await import('./doctor.ts')).runDoctorCommand,
};

const rotateMasterKey: Command = {
  name: 'rotate-master-key',
  about: 'Re-encrypts all encrypted values with a new master key.',
  details:
    'Stop the service first. Without LATCHKEY_MASTER_KEY, the command makes a new key in ' +
    '<data>/master.key. With it, the command encrypts with that key and decrypts with ' +
    'LATCHKEY_PREVIOUS_MASTER_KEY. It changes all values or none. After an interruption, run it ' +
    'again.',
  options: [jsonOption],
  load: async () => (await import('./rotate-master-key.ts')).runRotateMasterKey,
};

const recoverStaff: Command = {
  name: 'recover-staff',
  about: 'Gives a staff user a new password and every management scope.',
  details:
    'Use this command if no staff user can sign in. It enables the user, removes the second ' +
    'factor and ends all sessions. If no user has that email address, it creates a staff user. ' +
    'It works while the service runs and prints the password once, alone on standard output.',
  args: [{ name: 'email', about: 'The email address of the staff user.' }],
  options: [jsonOption],
  examples: ['recover-staff ada@example.com'],
  statuses: { 1: 'Not possible, for example because a member has the address.' },
  load: async () => (await import('./recover-staff.ts')).runRecoverStaff,
};

const backup: Command = {
  name: 'backup',
  about: 'Writes an encrypted backup of the database, the documents and the master key.',
  details:
    'Use this command while the service runs or while it is stopped. It needs the settings of ' +
    'the service, and LATCHKEY_BACKUP_RECIPIENT with a public key of age. A failed backup ' +
    'leaves no file.\n\n' +
    'Without a file, the command stores the backup in LATCHKEY_BACKUP_TARGET, restores it into a ' +
    'temporary database as a trial, and removes all but the newest LATCHKEY_BACKUP_KEEP backups.',
  args: [
    {
      name: 'file',
      isFile: true,
      isOptional: true,
      about: 'The file to write, which must not exist; `-` means standard output.',
    },
  ],
  options: [
    {
      name: 'if-due',
      about: 'Does nothing if the target has a backup since the last time of the schedule.',
    },
    {
      name: 'make-key',
      about: 'Makes a key: writes the secret key to <file> and prints the public key.',
    },
    {
      name: 'blobs',
      value: 'mode',
      values: ['content', 'references'],
      about:
        'Whether the backup includes the content of the documents. Default: content for a ' +
        'folder, references for S3, which needs a separate backup.',
    },
    jsonOption,
  ],
  examples: ['backup --make-key backup.key', 'backup /backups/latchkey-$(date +%F).age', 'backup'],
  statuses: { 3: 'Done, but the content of some documents was missing or damaged.' },
  load: async () => (await import('./backup.ts')).runBackup,
};

const restore: Command = {
  name: 'restore',
  about: 'Fills an empty installation from a backup.',
  details:
    'The settings name the installation: its data folder, database and blob store. The database ' +
    'must be empty, and the blob store must not contain the documents of the backup. The ' +
    'database and the blob store may be of another kind than those of the backup. ' +
    'LATCHKEY_BACKUP_IDENTITY is the secret key of age, or LATCHKEY_BACKUP_IDENTITY_FILE names ' +
    'a file with it. If the backup has no content of documents, the blob store must have it.\n\n' +
    'Start the service after the command has succeeded. After an interruption, run the command ' +
    'again.',
  args: [{ name: 'file', isFile: true, about: 'The backup.' }],
  options: [
    {
      name: 'take-over-blobs',
      about:
        'Uses a blob store that belongs to another database. A service on that database cannot ' +
        'upload or delete documents any more.',
    },
    jsonOption,
  ],
  examples: ['restore /backups/latchkey-2026-11-22.age'],
  load: async () => (await import('./restore.ts')).runRestore,
};

export const installationCommands: readonly Command[] = [
  serve,
  migrate,
  doctor,
  rotateMasterKey,
  recoverStaff,
  backup,
  restore,
];
