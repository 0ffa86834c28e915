// Converts a form (multipart/form-data, RFC 7578) to the messages of a request stream, with
// back-pressure from the handler to the socket.
import type { IncomingHttpHeaders } from 'node:http';
import { finished, PassThrough, type Readable } from 'node:stream';
import { create, type DescField, type Message } from '@bufbuild/protobuf';
import { Busboy, type BusboyConfig } from '@fastify/busboy';
import type { Endpoint } from '../../api/endpoint.ts';
import { type Failure, fail, failureOf, invalid } from '../../base/errors/errors.ts';
import {
  multipartType,
  requireContentType,
  requireNoCoding,
  sendContinue,
} from '../http/request-body.ts';
import type { Deadlines } from '../http/server.ts';
import type { HttpExchange } from './exchange.ts';
import { messageFromFields, parseFieldText } from './transcode.ts';

type Parser = InstanceType<typeof Busboy>;

/** Busboy passes undefined for a part without a name, although its types say `string`. */
type PartName = string | undefined;

const limits: BusboyConfig['limits'] = {
  fieldNameSize: 100,
  fieldSize: 8 * 1024,
  fields: 20,
  parts: 25,
  headerPairs: 50,
  headerSize: 16 * 1024,
};

/** Reads the form on demand, so that the guard accepts the caller before the body is read. */
export async function* readForm(
  endpoint: Endpoint,
  { request, response, variables }: HttpExchange,
  deadlines: Deadlines,
): AsyncGenerator<Message> {
  requireContentType(request, multipartType);
  requireNoCoding(request);
  deadlines.extend(request, response);
  sendContinue(request, response);
  for (const [name, value] of variables) yield messageWith(endpoint, name, value);
  const pathFields = variables.map(([name]) => name);
  yield* readMessages(endpoint, request.headers, request, pathFields);
}

function messageWith({ descriptor: { input } }: Endpoint, name: string, value: string): Message {
  const field = input.fields.find((candidate) => candidate.name === name);
  return create(input, field === undefined ? {} : { [field.localName]: value });
}

/**
 * The messages of a form: one for each piece of the file and for each other part. The iteration
 * throws if the form is malformed, incomplete, or has parts that the method does not accept. The
 * path sets the `pathFields`, so the form must not.
 */
function readMessages(
  endpoint: Endpoint,
  headers: IncomingHttpHeaders,
  body: Readable,
  pathFields: readonly string[],
): AsyncIterable<Message> {
  const messages = new PassThrough({ objectMode: true, highWaterMark: 4 });
  let parser: Parser;
  try {
    parser = createParser(endpoint, headers);
  } catch (cause) {
    throw fail('unsupported_media_type', 'The content type has no valid boundary.', { cause });
  }
  const form = new Form(endpoint, messages, pathFields);
  form.listen(parser);
  parser.once(
    'finish',
    form.safely(() => form.end()),
  );
  parser.on('error', (cause) => form.stop(malformed(cause)));
  finished(body, { writable: false }, (cause) => {
    if (cause) form.stop(fail('canceled', 'The upload ended early.', { cause }));
  });
  // Stops reading the body when the messages are no longer read. Not a pipeline: that would destroy
  // the request before its sender receives the error.
  messages.once('close', () => {
    body.unpipe(parser);
    parser.destroy();
  });
  body.pipe(parser);
  return messages;
}

function createParser(endpoint: Endpoint, headers: IncomingHttpHeaders): Parser {
  const fileField = endpoint.http.multipart?.fileField;
  const contentType = headers['content-type'] ?? '';
  return new Busboy({
    headers: { ...headers, 'content-type': contentType },
    limits,
    isPartAFile: (name, _type, fileName) => name === fileField || fileName !== undefined,
  });
}

class Form {
  readonly #endpoint: Endpoint;
  readonly #messages: PassThrough;
  readonly #fileField: DescField;
  /** The fields that receive the headers of the file part. No other part sets them. */
  readonly #fileNameField: DescField | undefined;
  readonly #pathFields: readonly string[];
  readonly #contentTypeField: DescField | undefined;
  #files = 0;

  constructor(endpoint: Endpoint, messages: PassThrough, pathFields: readonly string[]) {
    this.#pathFields = pathFields;
    this.#endpoint = endpoint;
    this.#messages = messages;
    const { fields } = endpoint.descriptor.input;
    const { fileField, fileNameField, contentTypeField } = endpoint.http.multipart ?? {};
    const file = fields.find(({ name }) => name === fileField);
    if (file === undefined) throw new Error(`${endpoint.name} has no field for its file`);
    this.#fileField = file;
    this.#fileNameField = fields.find(({ name }) => name === fileNameField);
    this.#contentTypeField = fields.find(({ name }) => name === contentTypeField);
  }

  /**
   * A listener whose errors fail its form. Without this, an error in a listener would end the
   * process.
   */
  safely<A extends unknown[]>(listener: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      try {
        listener(...args);
      } catch (cause) {
        this.stop(failureOf(cause));
      }
    };
  }

  listen(parser: Parser): void {
    const onFile = (
      name: PartName,
      stream: Readable,
      fileName: string | undefined,
      _encoding: string,
      contentType: string,
    ) => {
      // A truncated file fails with the parser. Without a listener, its error would end the
      // process.
      stream.on('error', () => {});
      if (name !== this.#fileField.name) {
        this.stop(notAccepted(name, 'file'));
      } else if (++this.#files > 1) {
        this.stop(invalid(name, 'must be set only once'));
      } else {
        this.#takeFile(stream, fileName, contentType);
        return;
      }
      stream.resume();
    };
    const onField = (name: PartName, value: string, nameCut: boolean, valueCut: boolean) => {
      if (nameCut || valueCut) this.stop(invalid((name ?? '').slice(0, 64), 'is too long'));
      else this.#takeField(name, value);
    };
    parser.on('file', this.safely(onFile));
    parser.on('field', this.safely(onField));
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      parser.on(limit, () => this.stop(fail('invalid_argument', 'The form has too many parts.')));
    }
  }

  #takeFile(stream: Readable, fileName: string | undefined, contentType: string): void {
    const facts: Record<string, string> = {};
    if (fileName !== undefined && this.#fileNameField !== undefined) {
      // The end of the name, because a leading path is removed.
      facts[this.#fileNameField.localName] = [...fileName].slice(-1024).join('');
    }
    if (this.#contentTypeField !== undefined) {
      facts[this.#contentTypeField.localName] = [...contentType].slice(0, 255).join('');
    }
    if (Object.keys(facts).length > 0) this.#push(facts);
    const onChunk = (chunk: Buffer) => {
      if (this.#push({ [this.#fileField.localName]: chunk })) return;
      stream.pause();
      this.#messages.once('drain', () => stream.resume());
    };
    stream.on('data', this.safely(onChunk));
  }

  #takeField(name: PartName, value: string): void {
    const { input } = this.#endpoint.descriptor;
    const field = input.fields.find(
      (candidate) => candidate.name === name || candidate.jsonName === name,
    );
    const isTaken =
      field !== undefined &&
      field !== this.#fileNameField &&
      field !== this.#contentTypeField &&
      !this.#pathFields.includes(field.name);
    if (!isTaken) this.stop(notAccepted(name, 'part'));
    // The parser puts this character in place of bytes that are not UTF-8.
    else if (value.includes('\ufffd')) this.stop(invalid(field.name, 'must be UTF-8'));
    else
      this.#send(
        messageFromFields(input, { [field.name]: parseFieldText(field, field.name, [value]) }),
      );
  }

  #push(init: Record<string, unknown>): boolean {
    return this.#send(create(this.#endpoint.descriptor.input, init));
  }

  #send(message: Message): boolean {
    return this.#messages.destroyed || this.#messages.write(message);
  }

  end(): void {
    if (this.#files === 0) this.stop(invalid(this.#fileField.name, 'is required'));
    else this.#messages.end();
  }

  stop(failure: Failure): void {
    this.#messages.destroy(failure);
  }
}

function notAccepted(name: PartName, kind: 'file' | 'part'): Failure {
  if (name === undefined || name === '') {
    return fail('invalid_argument', `A ${kind} of the form has no name.`);
  }
  return invalid(name.slice(0, 64), `is not a ${kind} of this method`);
}

function malformed(cause: unknown): Failure {
  return fail('invalid_argument', 'The form is malformed or incomplete.', { cause });
}
