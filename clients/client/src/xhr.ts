// Uploads in a browser. `fetch` cannot report how much it has sent, and sends streams only over
// HTTP/2. XMLHttpRequest can do the first and needs no streams.
import { connectionMessage, type HttpAnswer, LatchkeyError, tooLarge } from './errors.ts';
import { messageBytesMax } from './options.ts';

type OnProgress = ((event: { readonly loaded: number; readonly total: number }) => void) | null;

/** The parts of XMLHttpRequest that are used here. Its type is not known outside of browsers. */
type Xhr = {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress: OnProgress };
  /** Of the answer, after decompression. */
  onprogress: OnProgress;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: FormData): void;
  abort(): void;
};

export type XhrRequest = {
  readonly url: string;
  readonly headers: Headers;
  readonly form: FormData;
  /** Receives the bytes of the whole form, which is a little larger than the file. */
  readonly onSent: (sentBytes: number) => void;
  readonly signal: AbortSignal | undefined;
};

export function xhrConstructor(): (new () => Xhr) | undefined {
  return (globalThis as { XMLHttpRequest?: new () => Xhr }).XMLHttpRequest;
}

export function postByXhr(Constructor: new () => Xhr, request: XhrRequest): Promise<HttpAnswer> {
  const { url, headers, form, onSent, signal } = request;
  return new Promise((resolve, reject) => {
    const xhr = new Constructor();
    const onAbort = () => {
      xhr.abort();
      const cause = signal?.reason;
      reject(new LatchkeyError('canceled', 'The upload was aborted.', { cause }));
    };
    const end = () => signal?.removeEventListener('abort', onAbort);
    xhr.open('POST', url);
    headers.forEach((value, name) => {
      xhr.setRequestHeader(name, value);
    });
    xhr.upload.onprogress = ({ loaded }) => onSent(loaded);
    xhr.onprogress = ({ loaded }) => {
      if (loaded <= messageBytesMax) return;
      end();
      xhr.abort();
      reject(tooLarge());
    };
    xhr.onload = () => {
      end();
      const header = (name: string) => xhr.getResponseHeader(name);
      resolve({ status: xhr.status, header, text: xhr.responseText });
    };
    xhr.onerror = () => {
      end();
      reject(new LatchkeyError('connection_failed', connectionMessage(new URL(url).origin)));
    };
    if (signal?.aborted) return onAbort();
    signal?.addEventListener('abort', onAbort);
    xhr.send(form);
  });
}
