// Counts the costly things that the tests of a worker start.
import { subscribe } from 'node:diagnostics_channel';

export const started = { apps: 0, databases: 0, contexts: 0, processes: 0 };

export type Started = typeof started;

// Node announces each child process on this channel.
subscribe('child_process', () => {
  started.processes++;
});
