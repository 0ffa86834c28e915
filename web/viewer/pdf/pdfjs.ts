/** pdf.js and its viewer components. The components read a global that pdf.js sets first. */
export {
  AnnotationEditorType,
  AnnotationMode,
  getDocument,
  PasswordResponses,
  PDFDataRangeTransport,
  PDFWorker,
  RenderingCancelledException,
  VerbosityLevel,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
export {
  EventBus,
  FindState,
  LinkTarget,
  PDFFindController,
  PDFLinkService,
  PDFViewer,
  RenderingStates,
  ScrollMode,
} from 'pdfjs-dist/legacy/web/pdf_viewer.mjs';
