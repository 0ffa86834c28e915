/** The search of pdf.js, which reads the text of all pages. */
import type { PDFDocumentProxy } from 'pdfjs-dist';
import type {
  EventBus,
  PDFFindController,
  PDFLinkService,
} from 'pdfjs-dist/legacy/web/pdf_viewer.mjs';
import type { Pdfjs } from './open-pdf.ts';

export interface SearchOptions {
  readonly pdfjs: Pdfjs;
  readonly eventBus: EventBus;
  readonly linkService: PDFLinkService;
  /** Resolves when the visible pages are drawn: their bytes come before those of the search. */
  idle(): Promise<void>;
}

export function createFindController(options: SearchOptions): PDFFindController {
  const { pdfjs, eventBus, linkService, idle } = options;
  class PatientFindController extends pdfjs.PDFFindController {
    override setDocument(pdf: PDFDocumentProxy | undefined): void {
      const patient = pdf && {
        async getPage(number: number) {
          await idle();
          return pdf.getPage(number);
        },
      };
      // The controller uses no other member.
      super.setDocument(patient as PDFDocumentProxy);
    }
  }
  return new PatientFindController({ eventBus, linkService });
}
