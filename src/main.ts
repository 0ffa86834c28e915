#!/usr/bin/env node
// The process: runs the command that its arguments name and exits with its status.
import { runProgram } from './cli/commands.ts';

// The files of SQLite and of libraries are for their owner alone, too.
process.umask(0o077);
process.exit(await runProgram(process.argv.slice(2), process));
