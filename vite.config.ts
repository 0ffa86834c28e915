import { readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

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
  plugins: [copyPdfjs(), leaveRulesOut()],
  build: {
    outDir: 'dist/web',
    assetsDir: 'assets',
    emptyOutDir: true,
    manifest: true,
    modulePreload: { polyfill: false },
    // the pages' policy takes no data: addresses
    assetsInlineLimit: 0,
    // pdf.js is one chunk of its own, loaded only where a PDF is shown
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      input: ['web/viewer/viewer.ts', 'web/viewer/pages.css', 'web/console/main.tsx'],
      // Mantine marks its modules for a server that renders them, which there is none of
      onwarn(warning, warn) {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
      // the bundler drops the notice that pdf.js carries
      output: {
        postBanner: ({ name }) =>
          name === 'pdf' ? `/*! pdf.js ${version}, Apache-2.0: /${pdfjsFolder}/LICENSE */` : '',
      },
    },
  },
});
