/** The URL path of the files that pdf.js fetches at run time; set by vite.config.ts. */
declare const PDFJS_FOLDER: string;
