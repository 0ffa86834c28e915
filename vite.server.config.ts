import { chmodSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vite';

/** Packages with native code, or with files that they find next to their own code. */
const external = [
  '@grpc/grpc-js',
  '@grpc/reflection',
  '@node-rs/argon2',
  '@node-rs/bcrypt',
  // Its certificate library needs a polyfill that runs first, which a bundle does not ensure.
  '@simplewebauthn/server',
  'better-sqlite3',
  'better-sqlite3-node20',
  'sodium-native',
];

// Bundles the service with its packages, so that a start reads about ten files instead of more than
// a thousand.
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [
    {
      name: 'executable',
      // The first line of the program names its interpreter.
      writeBundle: ({ dir = '' }) => chmodSync(path.join(dir, 'main.js'), 0o755),
    },
  ],
  ssr: { noExternal: true, external },
  build: {
    ssr: true,
    outDir: 'dist/src',
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      input: {
        main: 'src/main.ts',
        'identity/keys/thread-program': 'src/identity/keys/thread-program.ts',
        'sharing/documents/pages/program': 'src/sharing/documents/pages/program.ts',
        'sharing/previews/converter/program': 'src/sharing/previews/converter/program.ts',
        'sharing/watermarks/program': 'src/sharing/watermarks/program.ts',
        'workers/program': 'src/boot/workers/program.ts',
      },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'chunks/[name]-[hash].js',
        // Otherwise, the parts of these that only some commands use become many small files.
        codeSplitting: {
          groups: [{ name: 'messages', test: /[\\/](gen|@bufbuild[\\/]protobuf)[\\/]/ }],
        },
        comments: false,
        // V8 holds source text with other characters in twice the memory.
        charset: 'ascii',
      },
    },
  },
});
