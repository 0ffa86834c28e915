#!/usr/bin/env node
// Starts the process of @latchkey/cli: runs the command named by the arguments and exits with its
// status.
import { createRequire } from 'node:module';
import { remoteGroups, rootOf } from './commands.ts';
import { runWords } from './program.ts';

// The profile and downloads are readable only by their owner.
process.umask(0o077);
const { version } = createRequire(import.meta.url)('@latchkey/cli/package.json');
const root = rootOf(remoteGroups);
process.exit(await runWords(process.argv.slice(2), process, { root, version }));
