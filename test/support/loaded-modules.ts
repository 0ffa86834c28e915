// The packages of OpenTelemetry in the modules that a process loads.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type ModuleList = {
  /** The value of NODE_OPTIONS. */
  readonly option: string;
  /** The packages that the process has loaded, without `@opentelemetry/`. */
  packages(): Promise<string[]>;
  remove(): Promise<void>;
};

const moduleOf = (code: string) =>
  `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;

/** Lets a process write the URL of each module that it loads to a file. */
export async function newModuleList(): Promise<ModuleList> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-modules-'));
  const file = path.join(folder, 'urls');
  const load = `import { appendFileSync } from 'node:fs';
    export async function load(url, context, next) {
      if (url.startsWith('file:')) appendFileSync(${JSON.stringify(file)}, url + '\\n');
      return next(url, context);
    }`;
  const hook = JSON.stringify(moduleOf(load));
  return {
    option: `--import=${moduleOf(`import { register } from 'node:module'; register(${hook});`)}`,
    async packages() {
      const urls = (await readFile(file, 'utf8')).trim().split('\n');
      const sources = (await Promise.all(urls.map(sourcesOf))).flat();
      const names = sources.flatMap(
        (source) => /node_modules\/@opentelemetry\/([\w-]+)\//.exec(source)?.[1] ?? [],
      );
      return [...new Set(names)].sort();
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The files that a bundled module contains. */
async function sourcesOf(url: string): Promise<string[]> {
  const map = await readFile(new URL(`${url}.map`), 'utf8').catch(() => '{}');
  const { sources = [] } = JSON.parse(map) as { sources?: string[] };
  return [url, ...sources];
}
