// Runs a server while its parent keeps standard input open, then removes the server's folder. Even
// a killed test run therefore leaves nothing behind.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const { command, args, folder, endSignal, uid, gid } = JSON.parse(process.argv[2]);

let server;
let restarts = false;
start();

function start() {
  server = spawn(command, args, { cwd: folder, uid, gid, stdio: ['ignore', 2, 2] });
  server.on('error', (error) => finish(error.message, 1));
  server.on('exit', (code) => {
    if (!restarts) return finish('', code ?? 1);
    restarts = false;
    start();
  });
}

const end = () => server.kill(endSignal);
process.stdin.on('close', end);
// A signal that stops the server, which is then started again.
process.stdin.setEncoding('utf8').on('data', (signal) => {
  restarts = true;
  server.kill(signal.trim());
});
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(signal, end);

function finish(message, exitCode) {
  rmSync(folder, { recursive: true, force: true });
  process.stderr.write(message);
  process.exit(exitCode);
}
