import { readFileSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { referenceHtml } from './scripts/openapi/reference.ts';

// Always builds for production, without the development warnings of React.
process.env.NODE_ENV = 'production';

const root = dirname(fileURLToPath(import.meta.url));
const pdfjs = join(root, 'node_modules/pdfjs-dist');
function versionOf(folder: string): string {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
}
const version = versionOf(pdfjs);

/** The version in the path lets browsers cache these files forever, like the hashed ones. */
const pdfjsFolder = `assets/pdfjs-${version}`;

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

/** Writes the OpenAPI document, and the API reference, which is the same document as HTML. */
function writeReference(): Plugin {
  return {
    name: 'write-reference',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      if (!dir) throw new Error('write-reference needs an output folder');
      const addressOf = (source: string) => {
        const found = Object.values(bundle).find(
          (file) => file.type === 'asset' && file.originalFileNames.includes(source),
        );
        if (found === undefined) throw new Error(`the build has no ${source}`);
        return `/${found.fileName}`;
      };
      const text = await readFile(join(root, 'gen/openapi.json'), 'utf8');
      const files = {
        styles: addressOf('web/docs/reference.css'),
        icon: addressOf('web/viewer/mark.svg'),
      };
      await writeFile(join(dir, 'openapi.json'), text);
      await writeFile(join(dir, 'reference.html'), referenceHtml(JSON.parse(text), files));
    },
  };
}

const codings = {
  gz: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
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
        const ends = ['.js', '.mjs', '.css', '.svg', '.html'];
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

/** Loaded first by the viewer and the console: bundler functions, modules without imports. */
const isShared = /^\0(vite|rolldown)\/|\/(web\/viewer\/shell\/trusted-types|src\/base\/http)/;

/** The viewer itself loads no library first. */
const isOfConsole = /\/(web\/console|gen|node_modules\/(?!pdfjs-dist))\//;

/**
 * A group includes what its modules import. Previews import the viewer, which must load no group.
 * Few screens have fields for scopes.
 */
const isOfScreens = /\/(web\/console\/(?!documents\/preview\/|shared\/scopes\/)|gen\/)/;

export default defineConfig({
  root,
  base: '/',
  publicDir: false,
  define: {
    PDFJS_FOLDER: JSON.stringify(`/${pdfjsFolder}/`),
  },
  plugins: [copyPdfjs(), writeReference(), leaveRulesOut(), compress()],
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
        'web/viewer/agreement.ts',
        'web/viewer/pages.css',
        'web/console/main.tsx',
        'web/docs/reference.css',
      ],
      // Mantine marks its modules for server rendering, which is not used
      onwarn(warning, warn) {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
      // the bundler drops the license notice of pdf.js
      output: {
        codeSplitting: {
          groups: [
            { name: 'shared', test: isShared, priority: 3 },
            { name: 'console', tags: ['$initial'], test: isOfConsole, priority: 2 },
            { name: 'icons', test: /@tabler\/icons-react/, priority: 1 },
            { name: 'screens', test: isOfScreens, minShareCount: 3 },
          ],
        },
        postBanner: ({ name, isDynamicEntry }) =>
          name === 'pdfjs' && isDynamicEntry
            ? `/*! pdf.js ${version}, Apache-2.0: /${pdfjsFolder}/LICENSE */`
            : '',
      },
    },
  },
});
