/** The search of pdf.js, which reads the text of all pages. */
import type { PDFDocumentProxy } from 'pdfjs-dist';
import type {
  EventBus,
  PDFFindController,
  PDFLinkService,
} from 'pdfjs-dist/legacy/web/pdf_viewer.mjs';
import type { Searchable } from '../shell/find-bar.ts';
import type { Pdfjs } from './open-pdf.ts';
import type { PdfView } from './pdf-view.ts';

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

interface PdfFindResult {
  readonly state?: number;
  readonly matchesCount: { readonly current: number; readonly total: number };
}

export function searchPdf({ FindState }: Pdfjs, { scroller, eventBus }: PdfView): Searchable {
  const source = {};
  return {
    scroller,
    find(query, step) {
      eventBus.dispatch('find', {
        source,
        type: step === 'first' ? '' : 'again',
        query,
        findPrevious: step === 'previous',
        highlightAll: true,
        caseSensitive: false,
        entireWord: false,
        matchDiacritics: false,
      });
    },
    end: () => eventBus.dispatch('findbarclose', { source }),
    onResult(show) {
      const report = ({ state, matchesCount }: PdfFindResult) =>
        show({ ...matchesCount, isPending: state !== FindState.NOT_FOUND });
      eventBus.on('updatefindmatchescount', report);
      eventBus.on('updatefindcontrolstate', report);
    },
  };
}
