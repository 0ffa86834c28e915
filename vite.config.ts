import { readFileSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

// There is one build, for whoever starts it: what React says to its developers is not in it.
process.env.NODE_ENV = 'production';

const root = dirname(fileURLToPath(import.meta.url));
const pdfjs = join(root, 'node_modules/pdfjs-dist');
const { version }: { version: string } = JSON.parse(
  readFileSync(join(pdfjs, 'package.json'), 'utf8'),
);

/** Versioned by its folder, so that these files may be cached for ever like the hashed ones. */
const pdfjsFolder = `assets/pdfjs-${version}`;

/** What pdf.js fetches while it runs; it asks for these by name, so they keep their names. */
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
          // quickjs runs the scripts inside a document, which the viewer never does
          filter: (source) => !/quickjs/i.test(basename(source)),
        });
      }
    },
  };
}

const codings = {
  gz: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
};

/** Lays the compressed forms of text beside it, for the service to send as they are. */
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
        const texts = names.filter((name) => ends.includes(extname(name)));
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
 * The rules of protovalidate are for the service to apply. Their descriptor would be a tenth of what
 * a browser has to load; what is generated needs only the file that it stands for, by its name.
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
  define: { PDFJS_FOLDER: JSON.stringify(`/${pdfjsFolder}/`) },
  plugins: [copyPdfjs(), leaveRulesOut(), compress()],
  build: {
    outDir: 'dist/web',
    assetsDir: 'assets',
    emptyOutDir: true,
    manifest: true,
    modulePreload: { polyfill: false },
    // the pages' policy takes no data: addresses
    assetsInlineLimit: 0,
    // in kB, and not compressed: what a browser loads first is for the tests to weigh
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      input: ['web/viewer/viewer.ts', 'web/viewer/pages.css', 'web/console/main.tsx'],
      // Mantine marks its modules for a server that renders them, which there is none of
      onwarn(warning, warn) {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
      // the bundler drops the notice that pdf.js carries
      output: {
        postBanner: ({ name, isDynamicEntry }) =>
          name === 'pdf' && isDynamicEntry
            ? `/*! pdf.js ${version}, Apache-2.0: /${pdfjsFolder}/LICENSE */`
            : '',
      },
    },
  },
});
