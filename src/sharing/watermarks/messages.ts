// The messages between the service and the program that stamps files. The file follows on the
// standard input, and the stamped file is on the standard output.

export type StampOrder = {
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Of the PDF; 0 if unknown. */
  readonly pages: number;
  /** The line that each page shows. */
  readonly text: string;
};
