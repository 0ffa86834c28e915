// The exit statuses of all commands. Those from 65 follow sysexits.h, which has no number for
// "not found" and "conflict": these use the nearest one.

export const exitStatuses = {
  done: { status: 0, about: 'The command succeeded.' },
  failed: { status: 1, about: 'The command failed, or a check found a problem.' },
  usage: { status: 2, about: 'The arguments or the settings are wrong. Nothing was changed.' },
  data: { status: 65, about: 'The server refused the input, or a file is too large.' },
  missing: { status: 66, about: 'The resource or the file does not exist.' },
  unavailable: { status: 69, about: 'The server cannot be reached or is unavailable.' },
  internal: { status: 70, about: 'The server failed with an internal error.' },
  conflict: { status: 73, about: 'The state of the resource, or a quota, prevents the change.' },
  output: { status: 74, about: 'A file or the output cannot be read or written.' },
  later: { status: 75, about: 'Too many requests. Try again later.' },
  access: { status: 77, about: 'You are not signed in, or have no permission.' },
  interrupted: { status: 130, about: 'The command was interrupted.' },
  pipe: { status: 141, about: 'The reader of the output closed it.' },
} as const;

export type ExitStatus = keyof typeof exitStatuses;
