// pdfjs-dist has no types of this file.
declare module 'pdfjs-dist/legacy/build/pdf.worker.mjs';
