// Explains why a listener did not start: the setting, the address, and the remedy.

/** The message is complete without a stack trace. */
export class ListenError extends Error {}

type Listener = { readonly setting: string; readonly host: string; readonly port: number };

const explanations: Readonly<Record<string, (listener: Listener) => string>> = {
  EADDRINUSE: ({ setting }) =>
    `is in use. Stop the program that listens there, or set ${setting} to another address`,
  EACCES: ({ setting }) =>
    `is not permitted for this user. Set ${setting} to a port above 1023, or permit the port`,
  EADDRNOTAVAIL: ({ setting }) =>
    `is not an address of this machine. Set ${setting} to one of its addresses`,
  ENOTFOUND: ({ setting }) => `has an unknown host name. Correct ${setting}`,
  EAI_AGAIN: ({ setting }) => `has a host name that cannot be resolved now. Check ${setting}`,
};

export async function explainListenError<T>(
  setting: string,
  { host, port }: Omit<Listener, 'setting'>,
  started: Promise<T>,
): Promise<T> {
  try {
    return await started;
  } catch (cause) {
    const code = codeOf(cause);
    const explanation = explanations[code]?.({ setting, host, port });
    if (explanation === undefined) throw cause;
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    throw new ListenError(`${address} (${setting}) ${explanation}. (${code})`, { cause });
  }
}

/** grpc-js sets no code, but its message contains the system's error. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return /\bE[A-Z_]+\b/.exec(error.message)?.[0] ?? '';
}
