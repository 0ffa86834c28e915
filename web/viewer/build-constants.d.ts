/** Where the files that pdf.js fetches while it runs are served; set by vite.config.ts. */
declare const PDFJS_FOLDER: string;
