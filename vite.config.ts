import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

// Always builds for production, without the development warnings of React.
process.env.NODE_ENV = 'production';

const root = dirname(fileURLToPath(import.meta.url));
const pdfjs = join(root, 'node_modules/pdfjs-dist');
const redoc = join(root, 'node_modules/redoc/bundles/redoc.standalone.js');
const redocChanges = [
  // An image on another origin.
  ['https://cdn.redoc.ly/redoc/logo-mini.svg', ''],
  // A style element that is created before Redoc has its options.
  [
    't=n.nc;t&&e.setAttribute("nonce",t)',
    't=document.querySelector("[property=csp-nonce]").nonce;e.setAttribute("nonce",t)',
  ],
] as const;

function versionOf(folder: string): string {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
}
const version = versionOf(pdfjs);

/** The version in the path lets browsers cache these files forever, like the hashed ones. */
const pdfjsFolder = `assets/pdfjs-${version}`;
const redocFolder = `assets/redoc-${versionOf(join(root, 'node_modules/redoc'))}`;

/** Files that pdf.js fetches by name at run time. */
const pdfjsFiles = [
  'LICENSE',
  'legacy/build/pdf.worker.min.mjs',
  'cmaps',
  'iccs',
  'standard_fonts',
  'wasm',
];

function copyPdfjs(): Plugin {
  return {
    name: 'copy-pdfjs',
    apply: 'build',
    async writeBundle({ dir }) {
      if (!dir) throw new Error('copy-pdfjs needs an output folder');
      for (const file of pdfjsFiles) {
        await cp(join(pdfjs, file), join(dir, pdfjsFolder, basename(file)), {
          recursive: true,
          // quickjs runs scripts inside a PDF, which the viewer never does
          filter: (source) => !/quickjs/i.test(basename(source)),
        });
      }
    },
  };
}

/** The service serves the OpenAPI document from the folder of the browser code. */
function copyOpenApi(): Plugin {
  return {
    name: 'copy-openapi',
    apply: 'build',
    async writeBundle({ dir }) {
      if (!dir) throw new Error('copy-openapi needs an output folder');
      await cp(join(root, 'gen/openapi.json'), join(dir, 'openapi.json'));
    },
  };
}

/** The built file of Redoc, changed to run under the content security policy. */
function copyRedoc(): Plugin {
  return {
    name: 'copy-redoc',
    apply: 'build',
    async writeBundle({ dir }) {
      if (!dir) throw new Error('copy-redoc needs an output folder');
      const folder = join(dir, redocFolder);
      await mkdir(folder, { recursive: true });
      await cp(`${redoc}.LICENSE.txt`, join(folder, 'LICENSE.txt'));
      const code = await readFile(redoc, 'utf8');
      for (const [text] of redocChanges) {
        if (!code.includes(text)) throw new Error(`Redoc no longer contains ${text}`);
      }
      const changed = redocChanges.reduce((all, [text, to]) => all.replace(text, to), code);
      await writeFile(join(folder, basename(redoc)), changed);
    },
  };
}

const codings = {
  gz: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
};

/** Writes compressed copies of text files, which the service sends as they are. */
function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    writeBundle: {
      // after the files of pdf.js
      sequential: true,
      async handler({ dir }) {
        if (!dir) throw new Error('compress needs an output folder');
        const names = await readdir(dir, { recursive: true });
        const ends = ['.js', '.mjs', '.css', '.svg'];
        const texts = names.filter(
          (name) => ends.includes(extname(name)) || name === 'openapi.json',
        );
        for (const file of texts.map((name) => join(dir, name))) {
          const bytes = await readFile(file);
          for (const [end, coded] of Object.entries(codings)) {
            await writeFile(`${file}.${end}`, await coded(bytes));
          }
        }
      },
    },
  };
}

/**
 * Omits the validation rules, which only the service applies. Their descriptor would be a tenth of
 * the first load. The generated code needs only the name of the file.
 */
function leaveRulesOut(): Plugin {
  const rules = '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
  const name = Buffer.from('buf/validate/validate.proto');
  // FileDescriptorProto: field 1 is the name.
  const descriptor = Buffer.from([0x0a, name.length, ...name]).toString('base64');
  return {
    name: 'leave-rules-out',
    enforce: 'pre',
    resolveId: (id) => (id === rules ? `\0${rules}` : undefined),
    load(id) {
      if (id !== `\0${rules}`) return undefined;
      return `import { fileDesc } from '@bufbuild/protobuf/codegenv2';
export const file_buf_validate_validate = /*@__PURE__*/ fileDesc('${descriptor}');`;
    },
  };
}

export default defineConfig({
  root,
  base: '/',
  publicDir: false,
  define: {
    PDFJS_FOLDER: JSON.stringify(`/${pdfjsFolder}/`),
    REDOC_FILE: JSON.stringify(`/${redocFolder}/${basename(redoc)}`),
  },
  plugins: [copyPdfjs(), copyOpenApi(), copyRedoc(), leaveRulesOut(), compress()],
  build: {
    outDir: 'dist/web',
    assetsDir: 'assets',
    emptyOutDir: true,
    manifest: true,
    modulePreload: { polyfill: false },
    // the content security policy allows no data: URLs
    assetsInlineLimit: 0,
    // in kB, uncompressed; a test checks the size of the first load
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      input: [
        'web/viewer/viewer.ts',
        'web/viewer/gate.ts',
        'web/viewer/pages.css',
        'web/console/main.tsx',
        'web/docs/main.ts',
      ],
      // Mantine marks its modules for server rendering, which is not used
      onwarn(warning, warn) {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
      // the bundler drops the license notice of pdf.js
      output: {
        postBanner: ({ name, isDynamicEntry }) =>
          name === 'pdfjs' && isDynamicEntry
            ? `/*! pdf.js ${version}, Apache-2.0: /${pdfjsFolder}/LICENSE */`
            : '',
      },
    },
  },
});
