// Reads the comments of the proto files from the image gen/latchkey.binpb.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';

/** The comments as Markdown, by full name: `pkg.Message.field`, `pkg.Service/Method`. */
export type Comments = { of(name: string): string };

export function readComments(): Comments {
  const file = path.resolve(import.meta.dirname, '../../gen/latchkey.binpb');
  const image = fromBinary(FileDescriptorSetSchema, readFileSync(file));
  const texts = new Map(image.file.flatMap(commentsOf));
  return {
    of(name) {
      const text = texts.get(name);
      if (text === undefined) throw new Error(`${name} has no comment`);
      return text;
    },
  };
}

function commentsOf(file: FileDescriptorProto): [string, string][] {
  const names = namesOf(file);
  return (file.sourceCodeInfo?.location ?? []).flatMap(({ path, leadingComments }) => {
    const name = names.get(path.join('.'));
    if (name === undefined || leadingComments === '') return [];
    return [[name, unwrap(leadingComments.replaceAll(/^ /gm, '').trim())]];
  });
}

/** The full names of a file's elements, by their paths (SourceCodeInfo.Location). */
function namesOf(file: FileDescriptorProto): Map<string, string> {
  const names = new Map<string, string>();
  const scope = file.package;
  for (const [i, message] of file.messageType.entries()) {
    nameMessage(names, message, `4.${i}`, `${scope}.${message.name}`);
  }
  for (const [i, item] of file.enumType.entries()) {
    nameEnum(names, item, `5.${i}`, `${scope}.${item.name}`);
  }
  for (const [i, service] of file.service.entries()) {
    names.set(`6.${i}`, `${scope}.${service.name}`);
    for (const [j, method] of service.method.entries()) {
      names.set(`6.${i}.2.${j}`, `${scope}.${service.name}/${method.name}`);
    }
  }
  return names;
}

function nameMessage(
  names: Map<string, string>,
  message: DescriptorProto,
  at: string,
  name: string,
): void {
  names.set(at, name);
  for (const [i, field] of message.field.entries())
    names.set(`${at}.2.${i}`, `${name}.${field.name}`);
  for (const [i, inner] of message.nestedType.entries()) {
    nameMessage(names, inner, `${at}.3.${i}`, `${name}.${inner.name}`);
  }
  for (const [i, inner] of message.enumType.entries()) {
    nameEnum(names, inner, `${at}.4.${i}`, `${name}.${inner.name}`);
  }
}

function nameEnum(
  names: Map<string, string>,
  { value }: EnumDescriptorProto,
  at: string,
  name: string,
): void {
  names.set(at, name);
  for (const [i, item] of value.entries()) names.set(`${at}.2.${i}`, `${name}.${item.name}`);
}

/** Joins the lines of each paragraph and of each item of a list. */
function unwrap(text: string): string {
  return text.replaceAll(/\n(?!\n|- )(?<!\n\n) */g, ' ');
}

const errorsHeading = /(?:^|\n\n)Errors:\n/;

/** The text of a method without its list of errors. */
export function withoutErrors(comment: string): string {
  return comment.split(errorsHeading, 1)[0] ?? '';
}

/** The errors that the comment of a method lists: their codes and causes. */
export function errorsIn(comment: string): [code: string, cause: string][] {
  const [, list = ''] = comment.split(errorsHeading);
  return [...list.matchAll(/^- `([\w.]+)`: (.+)$/gm)].map(([, code = '', cause = '']) => [
    code,
    `${cause.charAt(0).toUpperCase()}${cause.slice(1)}`,
  ]);
}
