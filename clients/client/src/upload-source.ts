// The bytes of an upload, from a file, a Blob, memory or a stream.

/** The bytes, as `fetch`, Node's streams and files yield them. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** Anything that can be read again from its start, such as a Blob, a File or `openFile(path)`. */
export type Rereadable = {
  stream(): ByteStream;
  readonly size?: number;
  readonly name?: string;
  /** The media type. */
  readonly type?: string;
};

/** An upload from a plain stream is not repeated after an error: its bytes are gone. */
export type UploadSource = Rereadable | Uint8Array | ByteStream;

export type UploadProgress = {
  /** The bytes of the document that were handed to the network. A repeated upload starts at 0. */
  readonly sentBytes: number;
  /** Undefined if the source does not know its size. */
  readonly totalBytes: number | undefined;
};

export type UploadOptions = {
  /** The document's display name. By default the name of the file. */
  readonly name?: string;
  /** The name of the file at the sender. By default that of the source. */
  readonly fileName?: string;
  /** The declared media type: it selects between types of text. By default that of the source. */
  readonly contentType?: string;
  /** Adds a version to this document. By default, the upload becomes a new document. */
  readonly documentId?: string;
  /** Required for callers that are not bound to one workspace. */
  readonly workspaceId?: string;
  readonly onProgress?: (progress: UploadProgress) => void;
  readonly signal?: AbortSignal;
  /** At most 128 characters. By default a new key for each call of `upload`. */
  readonly idempotencyKey?: string;
};

/** A source in its most general form. */
export type OpenSource = {
  readonly open: () => ByteStream;
  readonly isRereadable: boolean;
  readonly sizeBytes: number | undefined;
  readonly fileName: string;
  readonly contentType: string;
};

export function openSource(source: UploadSource, options: UploadOptions): OpenSource {
  const { fileName, contentType = '' } = options;
  const fallback = options.name ?? 'document';
  if (source instanceof Uint8Array) {
    return {
      open: () => iterateOnce(source),
      isRereadable: true,
      sizeBytes: source.byteLength,
      fileName: fileName ?? fallback,
      contentType,
    };
  }
  if ('stream' in source) {
    return {
      open: () => source.stream(),
      isRereadable: true,
      sizeBytes: source.size,
      fileName: fileName ?? source.name ?? fallback,
      contentType: contentType || (source.type ?? ''),
    };
  }
  return {
    open: () => source,
    isRereadable: false,
    sizeBytes: undefined,
    fileName: fileName ?? fallback,
    contentType,
  };
}

async function* iterateOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Large enough for a fast upload; small enough for progress, and for a message of gRPC. */
const pieceBytesMax = 64 * 1024;

/** Yields the bytes in small pieces, and reports each piece after the network has accepted it. */
export async function* piecesOf(
  { open, sizeBytes }: OpenSource,
  onProgress: UploadOptions['onProgress'],
): AsyncGenerator<Uint8Array> {
  let sentBytes = 0;
  onProgress?.({ sentBytes, totalBytes: sizeBytes });
  for await (const chunk of iterable(open())) {
    for (let at = 0; at < chunk.length; at += pieceBytesMax) {
      const piece = chunk.subarray(at, at + pieceBytesMax);
      yield piece;
      sentBytes += piece.length;
      onProgress?.({ sentBytes, totalBytes: sizeBytes });
    }
  }
}

/** Safari cannot iterate over a ReadableStream. */
function iterable(stream: ByteStream): AsyncIterable<Uint8Array> {
  return Symbol.asyncIterator in stream ? stream : readAll(stream as ReadableStream<Uint8Array>);
}

async function* readAll(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
