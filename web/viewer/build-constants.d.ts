/** The URL path of the files that pdf.js fetches at run time; set by vite.config.ts. */
declare const PDFJS_FOLDER: string;

declare module '*.svg?raw' {
  const text: string;
  export default text;
}
