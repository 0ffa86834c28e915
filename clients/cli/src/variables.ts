// The environment variables of the commands that call a running server. They are not settings of
// the service.

export const commandLineVariables = {
  server: 'LATCHKEY_BASE_URL',
  token: 'LATCHKEY_TOKEN',
  apiKey: 'LATCHKEY_API_KEY',
  clientId: 'LATCHKEY_CLIENT_ID',
  clientSecret: 'LATCHKEY_CLIENT_SECRET',
  keyFile: 'LATCHKEY_CLIENT_KEY_FILE',
  assertionFile: 'LATCHKEY_CLIENT_ASSERTION_FILE',
  certificateFile: 'LATCHKEY_CLIENT_CERTIFICATE_FILE',
  certificateKeyFile: 'LATCHKEY_CLIENT_CERTIFICATE_KEY_FILE',
  workspace: 'LATCHKEY_WORKSPACE_ID',
  profile: 'LATCHKEY_PROFILE',
} as const;
