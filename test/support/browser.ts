import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../', import.meta.url));

// The browser connects only to this machine, for pages and for its own services. The flags that the
// package recommends are left out because they disable web security.
const flags = [
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  '--no-proxy-server',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-client-side-phishing-detection',
  '--disable-domain-reliability',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
  '--no-pings',
  '--font-render-hinting=none',
];

// The package's default font configuration refers to /tmp. System fonts map to the package's fonts,
// so that screenshots are the same on every machine.
const fontConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <match target="pattern">
    <test name="family"><string>system-ui</string></test>
    <edit name="family" mode="assign" binding="strong"><string>Open Sans</string></edit>
  </match>
  <alias binding="strong">
    <family>sans-serif</family>
    <prefer><family>Open Sans</family></prefer>
  </alias>
</fontconfig>
`;

let shared: Promise<Browser> | undefined;

/**
 * Returns the browser that all suites of this process share; it ends with the process. Each test
 * uses its own context, with separate cookies, storage and cache.
 */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
}

/** A headless Chromium with web security on. */
async function launchBrowser(): Promise<Browser> {
  const folder = await unpackedBrowser();
  const fonts = await fontConfigurationIn(folder);
  const executablePath = join(folder, 'chromium');
  try {
    return await chromium.launch({
      executablePath,
      headless: true,
      // Chromium's sandbox does not work for root, nor in a container without user namespaces.
      chromiumSandbox: false,
      args: flags,
      env: {
        ...process.env,
        FONTCONFIG_FILE: fonts,
        LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      },
    });
  } catch (cause) {
    const missing = await missingLibraries(executablePath);
    if (missing.length === 0) throw cause;
    const libraries = missing.join(', ');
    throw new Error(`Chromium needs shared libraries that are not installed: ${libraries}`, {
      cause,
    });
  }
}

/** Unpacks the browser once per version. */
async function unpackedBrowser(): Promise<string> {
  const parent = join(project, '.cache/browser');
  const folder = join(parent, packageVersion());
  if (existsSync(folder)) return folder;

  await mkdir(parent, { recursive: true });
  const unfinished = await mkdtemp(join(parent, 'unpacking-'));
  try {
    // The package unpacks into the temporary folder, so it runs in a process with a separate one.
    const script = `
      const { default: bundled } = await import('@sparticuz/chromium');
      await bundled.executablePath();`;
    await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: project,
      // With this variable the package also unpacks its shared libraries.
      env: { ...process.env, TMPDIR: unfinished, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    });
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Named by its digest, because a folder with another version of the browser may exist. */
async function fontConfigurationIn(folder: string): Promise<string> {
  const digest = createHash('sha256').update(fontConfiguration).digest('hex');
  const file = join(folder, `fonts-${digest.slice(0, 8)}.conf`);
  if (!existsSync(file)) {
    const unfinished = `${file}.${process.pid}`;
    await writeFile(unfinished, fontConfiguration);
    await rename(unfinished, file);
  }
  return file;
}

/** The package does not export its package.json. */
function packageVersion(): string {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@sparticuz/chromium');
  const manifest: { version: string } = require(join(dirname(entry), '../../package.json'));
  return manifest.version;
}

async function missingLibraries(executable: string): Promise<string[]> {
  const { stdout } = await run('ldd', [executable]).catch(() => ({ stdout: '' }));
  return [...stdout.matchAll(/^\s*(\S+) => not found$/gm)].map(([, name]) => name ?? '');
}
