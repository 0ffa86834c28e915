/** The path of Redoc's built file. The build replaces this name. */
declare const REDOC_FILE: string;

interface Window {
  readonly Redoc: {
    init(
      spec: object,
      options: object,
      element: HTMLElement,
      whenShown: (error?: unknown) => void,
    ): void;
  };
}
