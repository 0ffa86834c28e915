// Characters that disguise a name: control characters, and characters that change the direction of
// the text.
const unprintable = '[\\p{Cc}\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]';
const some = new RegExp(unprintable, 'u');
const each = new RegExp(unprintable, 'gu');

const loneSurrogate = /\p{Cs}/u;

/** Without a lone surrogate, which UTF-8 cannot contain: it would become another character. */
export const isWellFormed = (text: string) => !loneSurrogate.test(text);

/** Spaces, characters without a shape (Unicode TR44), and the empty Braille pattern. */
const invisible = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Whether a text has no visible character. */
export const isBlank = (text: string) => invisible.test(text);

export const isPrintable = (name: string) => !some.test(name);

export const printableOf = (name: string) => name.replace(each, '');
