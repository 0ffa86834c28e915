// The changes of an update request: the fields in its `update_mask` (AIP-134) or, without a mask,
// the fields that have a value.
import {
  type DescMessage,
  isFieldSet,
  isMessage,
  type Message,
  type MessageShape,
} from '@bufbuild/protobuf';
import { type FieldMask, FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import { invalid } from '../base/errors/errors.ts';

/** The fields that an update can change, by their path in the mask. */
export type UpdateFields<D extends DescMessage, C> = Readonly<
  Record<string, (request: MessageShape<D>) => C>
>;

export type Update<C> = { readonly paths: readonly string[]; readonly change: Partial<C> };

export function readUpdate<D extends DescMessage, C extends object>(
  schema: D,
  request: MessageShape<D>,
  fields: UpdateFields<D, C>,
): Update<C> {
  const paths = changedPaths(schema, request, Object.keys(fields));
  let change: Partial<C> = {};
  for (const path of paths) {
    const read = Object.hasOwn(fields, path) ? fields[path] : undefined;
    if (read === undefined) throw invalid('update_mask', `${path} cannot be changed`);
    change = { ...change, ...read(request) };
  }
  return { paths, change };
}

export function changedPaths(
  schema: DescMessage,
  request: Message,
  fields: readonly string[],
): readonly string[] {
  const mask = maskOf(request);
  if (mask !== undefined) return mask.paths;
  return schema.fields
    .filter((field) => fields.includes(field.name) && isFieldSet(request, field))
    .map((field) => field.name);
}

function maskOf(request: Message): FieldMask | undefined {
  const mask = 'updateMask' in request ? request.updateMask : undefined;
  return isMessage(mask, FieldMaskSchema) ? mask : undefined;
}
