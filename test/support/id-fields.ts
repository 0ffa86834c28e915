import { type DescMessage, type DescMethod, ScalarType } from '@bufbuild/protobuf';

/** The text fields of a request that may hold an id in any form. */
export const idFields = ({ input }: DescMethod) =>
  input.fields
    .filter((field) =>
      field.fieldKind === 'message'
        ? !field.message.typeName.startsWith('google.protobuf.') && mayHoldId(field.message)
        : field.fieldKind !== 'enum' && isText(field) && idName.test(field.name),
    )
    .map(({ name }) => name)
    // A name that the caller chooses.
    .filter((name) => name !== 'external_id');
const idName = /(id|ids|token|slug)$/;
const mayHoldId = ({ fields }: DescMessage) =>
  fields.some(
    (field) => field.fieldKind !== 'scalar' || (isText(field) && idName.test(field.name)),
  );
const isText = (field: { scalar?: ScalarType | undefined }) => field.scalar === ScalarType.STRING;
