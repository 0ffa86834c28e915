// The commands for your own credential, and for single tokens.
import { type Command, jsonOption } from '../base/command.ts';
import { exitStatuses } from '../base/exit-status.ts';
import { serverOption } from './call-command.ts';

const login: Command = {
  name: 'login',
  about: 'Signs in to a server and stores the credential in a profile.',
  details:
    'Asks for the email address, the password and the one-time code of a user. A recovery code ' +
    'replaces the one-time code once. With --browser, prints the address of a page on which you ' +
    'approve the sign-in, and waits for up to 10 minutes. This also works with a passkey or a ' +
    'company account. Approve only a sign-in that you started yourself.\n\n' +
    'With --client or --api-key, stores the credential of a program instead. Secrets are never ' +
    'arguments, because other users of the machine can see those: the command asks for them, or ' +
    'reads them from the environment or the standard input. With --certificate-file, the profile ' +
    'stores the paths of the files, which each later command reads.\n\n' +
    'The profile is $XDG_CONFIG_HOME/latchkey/profile.json, by default in ~/.config, or with ' +
    '--profile a file in the folder profiles next to it. Only you can read it. The variables ' +
    'LATCHKEY_TOKEN, LATCHKEY_API_KEY, or LATCHKEY_CLIENT_ID with LATCHKEY_CLIENT_SECRET, ' +
    'LATCHKEY_CLIENT_KEY_FILE, LATCHKEY_CLIENT_ASSERTION_FILE or ' +
    'LATCHKEY_CLIENT_CERTIFICATE_FILE, together with LATCHKEY_BASE_URL, replace it.',
  options: [
    serverOption,
    { name: 'email', value: 'address', about: 'The email address of the user.' },
    {
      name: 'password-stdin',
      about: 'Reads the password, and on the next line the one-time or recovery code, from a pipe.',
    },
    {
      name: 'browser',
      about: 'Signs in through a browser, which may be on another machine.',
    },
    {
      name: 'client',
      value: 'id',
      about: 'Signs in a service client. The secret is LATCHKEY_CLIENT_SECRET or is asked for.',
    },
    {
      ...{ name: 'key-file', value: 'file', isFile: true },
      about: 'With --client: the file with the private JWK of the client, instead of a secret.',
    },
    {
      ...{ name: 'certificate-file', value: 'file', isFile: true },
      about:
        'The PEM file with a certificate that each request presents. It replaces the secret of a ' +
        'client, unless LATCHKEY_CLIENT_SECRET is set.',
    },
    {
      ...{ name: 'certificate-key-file', value: 'file', isFile: true },
      about: 'The PEM file with the private key of the certificate.',
    },
    {
      name: 'api-key',
      about: 'Signs in with an API key, which is LATCHKEY_API_KEY or is asked for.',
    },
    { name: 'workspace', value: 'id', about: 'The workspace of later commands.' },
    jsonOption,
  ],
  examples: [
    'login --server https://keys.example.com',
    'login --email ada@example.com --password-stdin < password.txt',
    'login --browser',
    'login --client cli_… < secret.txt',
    'login --client cli_… --key-file private.json',
    'login --client cli_… --certificate-file own.crt --certificate-key-file own.key',
  ],
  load: async () => (await import('./login.ts')).runLogin,
};

const logout: Command = {
  name: 'logout',
  about: 'Ends the session and removes the profile.',
  load: async () => (await import('./login.ts')).runLogout,
};

const profileArgument = { name: 'profile', about: 'The name of the profile.' };

const profiles: Command = {
  name: 'profiles',
  about: 'Manages profiles: servers with your credentials.',
  commands: [
    {
      name: 'list',
      about: 'Lists the profiles of this machine.',
      options: [{ ...jsonOption, about: 'Prints each profile as JSON on one line.' }],
      load: async () => (await import('./profiles.ts')).runListProfiles,
    },
    {
      name: 'use',
      about: 'Makes a profile the one of later commands.',
      args: [profileArgument],
      examples: ['profiles use staging', 'profiles use default'],
      load: async () => (await import('./profiles.ts')).runUseProfile,
    },
    {
      name: 'delete',
      about: 'Deletes a profile, and ends its session.',
      args: [profileArgument],
      load: async () => (await import('./profiles.ts')).runDeleteProfile,
    },
  ],
};

const whoami: Command = {
  name: 'whoami',
  about: 'Shows the server and your credential, and checks that the server accepts it.',
  options: [jsonOption],
  load: async () => (await import('./whoami.ts')).runWhoami,
};

const token: Command = {
  name: 'token',
  about: 'Prints an access token, and nothing else.',
  details:
    'A client gets a token with the client credentials grant, a customer in exchange for the API ' +
    'key, a user from the session. With --subject-token-file, a client exchanges the token of ' +
    'someone for a token with which it acts for them.',
  options: [
    {
      name: 'scope',
      value: 'scope',
      isList: true,
      about: 'A requested scope. Default: the default scopes of a client, all of a customer.',
    },
    {
      name: 'resource',
      value: 'uri',
      about: 'The identifier of the audience that the token is for. Default: the only one.',
    },
    {
      ...{ name: 'dpop', value: 'file', isFile: true },
      about: 'Binds the token to the private JWK in this file (DPoP).',
    },
    {
      ...{ name: 'subject-token-file', value: 'file', isFile: true },
      about: 'The file with the token to exchange.',
    },
    {
      ...{ name: 'actor-token-file', value: 'file', isFile: true },
      about: 'The file with a token of the client, which limits the new token.',
    },
    {
      name: 'account',
      value: 'id',
      isList: true,
      about: 'An account of the new token. Default: all accounts of the exchanged token.',
    },
    jsonOption,
  ],
  examples: [
    'token --scope accounts:read',
    'token --subject-token-file customer.jwt --account acc_1',
    'curl -H "Authorization: Bearer $(latchkey token --scope accounts:read)" …',
  ],
  load: async () => (await import('./token.ts')).runToken,
};

const stdinToken = {
  name: '-',
  isOptional: true,
  about: 'The token is read from the standard input, also without this argument.',
};

const verify: Command = {
  name: 'verify',
  about: 'Asks the server whether a token is valid.',
  args: [stdinToken],
  options: [
    { name: 'scope', value: 'scope', about: 'The scope that the token must have.' },
    { name: 'account', value: 'id', about: 'The account that the token must give access to.' },
    {
      name: 'audience',
      value: 'uri',
      about: 'The identifier of the audience of the token. Default: that of the service.',
    },
    {
      name: 'certificate-sha256',
      value: 'digest',
      about: 'The digest of the certificate to which the token is bound, in base64url.',
    },
    {
      ...{ name: 'dpop-proof-file', value: 'file', isFile: true },
      about: 'The file with the `DPoP` header of the request to your service.',
    },
    { name: 'http-method', value: 'method', about: 'The HTTP method of that request.' },
    { name: 'http-url', value: 'url', about: 'The URL of that request.' },
    jsonOption,
  ],
  examples: ['latchkey token --scope tokens:read | latchkey verify -'],
  statuses: { [exitStatuses.failed.status]: 'The token is not valid, or lacks access.' },
  load: async () => (await import('./token.ts')).runVerify,
};

const revoke: Command = {
  name: 'revoke',
  about: 'Revokes a token.',
  args: [stdinToken],
  options: [
    {
      name: 'token-id',
      value: 'id',
      about: 'The `jti` of the token, such as the token id of an audit event. Reads no token.',
    },
  ],
  examples: ['latchkey revoke - < token.txt', 'latchkey revoke --token-id 5f0c…'],
  load: async () => (await import('./token.ts')).runRevoke,
};

const api: Command = {
  name: 'api',
  about: 'Sends a request to the HTTP API with your credential, and prints the answer.',
  details:
    'The paths are those of the OpenAPI document. An error of the server is printed as by every ' +
    'other command.',
  args: [
    {
      name: 'method',
      values: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      about: 'The HTTP method.',
    },
    { name: 'path', about: 'The path with its query, such as `/clients?page_size=10`.' },
  ],
  options: [
    {
      name: 'data',
      value: 'json',
      about: 'The JSON of the body, `@` and the name of a file, or `-` for the standard input.',
    },
    {
      name: 'header',
      value: 'name: value',
      isList: true,
      about: 'A header of the request, such as `If-Match: "…"`.',
    },
    {
      name: 'scope',
      value: 'scope',
      isList: true,
      about: 'A scope of the token. Default: as for `latchkey token`.',
    },
    {
      name: 'idempotency-key',
      value: 'key',
      about: 'The same key within 24 hours repeats the answer. Default: no key.',
    },
    { ...jsonOption, about: 'Prints errors as JSON, too.' },
  ],
  examples: [
    "api GET '/clients?page_size=10'",
    'api PATCH /clients/cli_… --data \'{"name":"Reports"}\'',
    'api POST /clients --data @client.json',
    "latchkey api GET '/audit-events?code=forbidden' | jq .events",
  ],
  load: async () => (await import('./api.ts')).runApi,
};

const open: Command = {
  name: 'open',
  about: 'Opens the console or a link in the browser.',
  args: [
    {
      name: 'link-id',
      isOptional: true,
      about: 'The id or address of a link. Default: the console.',
    },
  ],
  options: [
    {
      name: 'workspace',
      value: 'id',
      about: 'The workspace. Required unless the credential or `login --workspace` names one.',
    },
    { name: 'print', about: 'Prints the address instead.' },
  ],
  load: async () => (await import('./open.ts')).runOpen,
};

export const accessCommands: readonly Command[] = [
  login,
  logout,
  whoami,
  profiles,
  token,
  verify,
  revoke,
  api,
  open,
];
