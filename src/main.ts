#!/usr/bin/env node
// Starts the process: runs the command named by the arguments and exits with its status.
import { runProgram } from './cli/program.ts';

// With this umask, files of SQLite and of libraries are also readable only by their owner.
process.umask(0o077);
// The version of the AWS SDK is fixed, so its warning about future versions is of no use.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
process.exit(await runProgram(process.argv.slice(2), process));
