// The entry of a command that calls one method. It names fields by their proto names.
import type { JsonObject } from '@bufbuild/protobuf';
import type { CommandHost } from '../base/command.ts';
import type { ListColumn } from './columns.ts';

export type CallSpec = {
  readonly name: string;
  readonly about: string;
  readonly details?: string;
  readonly examples?: readonly string[];
  /** The service, as in methods.ts, and the method: `client.listClients`. */
  readonly method: `${string}.${string}`;
  /** The required fields, given as arguments. */
  readonly args?: Readonly<Record<string, string>>;
  /** The one of `args` that another field can replace. */
  readonly optionalArg?: string;
  /** The last one of `args`, if it has one or more values. */
  readonly listArg?: string;
  /** The other fields, given as options. */
  readonly fields?: Readonly<Record<string, FieldOption>>;
  /** The columns of a list, by their paths in an item. */
  readonly columns?: readonly ListColumn[];
  /** Whether the answer has all rows, and no pages. */
  readonly isWhole?: true;
  /** Whether `--follow` prints new rows until the command is interrupted; newest rows are first. */
  readonly isFollowed?: true;
  /** The question before a change that cannot be undone. */
  readonly question?: string;
  /** The command that undoes this one. Its argument is the id of the resource in the answer. */
  readonly undo?: string;
  /** Writes warnings about the answer to the standard error. */
  readonly warn?: (answer: JsonObject, host: CommandHost) => void;
  /** The text of the answer that `--copy` copies to the clipboard: its path and its name. */
  readonly copied?: { readonly path: string; readonly what: string };
  /** Whether the method acts within a workspace. */
  readonly isInWorkspace?: true;
  /** Whether the method accepts an Idempotency-Key. */
  readonly isCreating?: true;
  /** Whether the method needs no credential. */
  readonly isPublic?: true;
};

export type FieldOption = {
  readonly about: string;
  /** The name of the value. A field without one is a flag. */
  readonly value?: string;
  readonly values?: readonly string[];
  readonly isList?: true;
  readonly isNegatable?: true;
  /** A flag: the command asks for the value, or reads it from the standard input. */
  readonly isSecret?: true;
  /** The value is the path of a file that contains the field as JSON. */
  readonly isJsonFile?: true;
  /** A time in the past: `7d` means seven days ago. */
  readonly isPast?: true;
  /** The name of the option, if it is not that of the field. */
  readonly name?: string;
};

export const optionName = (path: string, { name }: { readonly name?: string } = {}) =>
  name ?? path.replace(/_ids?$/, '').replace(/[._]/g, '-');
