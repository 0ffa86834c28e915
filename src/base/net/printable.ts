// Characters that disguise a name: control characters, and characters that change the direction of
// the text.
const unprintable = '[\\p{Cc}\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]';
const some = new RegExp(unprintable, 'u');
const each = new RegExp(unprintable, 'gu');

const loneSurrogate = /\p{Cs}/u;

/** Without a lone surrogate, which UTF-8 cannot contain: it would become another character. */
export const isWellFormed = (text: string) => !loneSurrogate.test(text);

export const isPrintable = (name: string) => !some.test(name);

export const printableOf = (name: string) => name.replace(each, '');
