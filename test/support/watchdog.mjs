// Runs a server for as long as whoever started this holds its standard input open, then removes
// the server's folder. So nothing is left behind even by a test run that was killed.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const { command, args, folder, endSignal, uid, gid } = JSON.parse(process.argv[2]);

const server = spawn(command, args, { cwd: folder, uid, gid, stdio: ['ignore', 2, 2] });
server.on('error', (error) => finish(error.message, 1));
server.on('exit', (code) => finish('', code ?? 1));

const end = () => server.kill(endSignal);
process.stdin.on('close', end).resume();
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(signal, end);

function finish(message, exitCode) {
  rmSync(folder, { recursive: true, force: true });
  process.stderr.write(message);
  process.exit(exitCode);
}
