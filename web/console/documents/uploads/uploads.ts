/** The uploads of a user. They continue while the user visits other screens. */

import { formatSize } from '../../../../src/base/http/format-size.ts';
import { ProblemError } from '../../session/problem-error.ts';
import { Listeners } from '../../shared/listeners.ts';
import type { SendFile, StoredFile } from './send-file.ts';
import { isSamePlace, type UploadPlace } from './upload-place.ts';

export type UploadState =
  /** In the queue. */
  | { readonly status: 'waiting' }
  /** `share`: the part that has been sent, 0 to 1. */
  | { readonly status: 'sending'; readonly share: number }
  | ({ readonly status: 'stored' } & StoredFile)
  | { readonly status: 'failed'; readonly error: unknown };

export type FileUpload = UploadPlace & {
  readonly key: number;
  readonly file: File;
  readonly state: UploadState;
};

const underWayMax = 3;

const invalid = { code: 'invalid_argument' };

const emptyFile =
  'The file is empty. If another program is still writing it, wait until it is complete. ' +
  'Then choose the file again.';

export class Uploads {
  readonly #send: SendFile;
  readonly #bytesMax: number;
  readonly #listeners = new Listeners();
  readonly subscribe = this.#listeners.subscribe;
  readonly #underWay = new Map<number, AbortController>();
  #all: readonly FileUpload[] = [];
  #lastKey = 0;
  #owner: string | undefined;

  /** `bytesMax`: the size limit of the service; larger files fail without being sent. */
  constructor(send: SendFile, bytesMax: number) {
    this.#send = send;
    this.#bytesMax = bytesMax;
  }

  /** In the order of addition; a new array after each change. */
  get all(): readonly FileUpload[] {
    return this.#all;
  }

  /** Clears the uploads when the user changes; undefined for no user. */
  setOwner(userId: string | undefined): void {
    if (userId === this.#owner) return;
    this.#owner = userId;
    for (const { key } of this.#all) this.#underWay.get(key)?.abort();
    this.#become([]);
  }

  add(target: UploadPlace, files: readonly File[]): void {
    const added = files.map((file): FileUpload => {
      this.#lastKey += 1;
      return { ...target, key: this.#lastKey, file, state: this.#stateOf(file) };
    });
    this.#become([...this.#all, ...added]);
    this.#sendNext();
  }

  /** Adds a failed upload with its reason. */
  refuse(target: UploadPlace, file: File, text: string): void {
    const error = new ProblemError(text, invalid);
    this.#lastKey += 1;
    const state: UploadState = { status: 'failed', error };
    this.#become([...this.#all, { ...target, key: this.#lastKey, file, state }]);
  }

  retry(key: number): void {
    this.#set(key, { status: 'waiting' });
    this.#sendNext();
  }

  /** Cancels the upload if it is running. */
  remove(key: number): void {
    this.#become(this.#all.filter((upload) => upload.key !== key));
    this.#underWay.get(key)?.abort();
  }

  forgetStored(target: UploadPlace): void {
    const isKept = (upload: FileUpload) =>
      !isSamePlace(upload, target) || upload.state.status !== 'stored';
    this.#become(this.#all.filter(isKept));
  }

  #stateOf({ size }: File): UploadState {
    if (size === 0) return { status: 'failed', error: new ProblemError(emptyFile, invalid) };
    if (size <= this.#bytesMax) return { status: 'waiting' };
    const limit = formatSize(this.#bytesMax, { rounding: 'floor' });
    const fileSize = formatSize(size, { rounding: 'ceil' });
    const text = `The file is ${fileSize}. The limit is ${limit}.`;
    return { status: 'failed', error: new ProblemError(text, { code: 'payload_too_large' }) };
  }

  #sendNext(): void {
    const waiting = this.#all.filter(({ state }) => state.status === 'waiting');
    const free = underWayMax - this.#underWay.size;
    for (const upload of waiting.slice(0, Math.max(0, free))) void this.#sendOne(upload);
  }

  async #sendOne({ key, file, state: _, ...place }: FileUpload): Promise<void> {
    const controller = new AbortController();
    this.#underWay.set(key, controller);
    const onProgress = (share: number) => this.#set(key, { status: 'sending', share });
    const newest = this.#newestOf(place);
    if (newest !== undefined) this.#change(key, { before: newest });
    onProgress(0);
    try {
      const { signal } = controller;
      const stored = await this.#send(file, { ...place, signal, onProgress });
      this.#set(key, { status: 'stored', ...stored });
    } catch (error) {
      this.#set(key, { status: 'failed', error });
    } finally {
      this.#underWay.delete(key);
      this.#sendNext();
    }
  }

  /** The newest version of the document among these uploads. */
  #newestOf({ documentId }: UploadPlace): StoredFile | undefined {
    if (documentId === undefined) return undefined;
    const states = this.#all
      .filter((one) => one.documentId === documentId)
      .map(({ state }) => state);
    return states.findLast((state) => state.status === 'stored');
  }

  #set(key: number, state: UploadState): void {
    this.#change(key, { state });
  }

  /** Ignores an upload that has been removed. */
  #change(key: number, change: Partial<FileUpload>): void {
    this.#become(
      this.#all.map((upload) => (upload.key === key ? { ...upload, ...change } : upload)),
    );
  }

  #become(all: readonly FileUpload[]): void {
    this.#all = all;
    this.#listeners.notify();
  }
}

/** Whether closing the tab would lose the upload. */
export function isInProgress({ state }: FileUpload): boolean {
  return state.status === 'waiting' || state.status === 'sending';
}
