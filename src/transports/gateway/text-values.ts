// Converts the text of a path variable or query parameter to a ProtoJSON value.
import { type DescField, type DescMessage, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { isWrapperDesc } from '@bufbuild/protobuf/wkt';
import { isObjectMessage } from '../../api/json-members.ts';
import { requireTextForm, wrongType } from '../../api/json-texts.ts';
import { invalid } from '../../base/errors/errors.ts';

/** Throws `invalid_argument` for the field at `path`. */
export function parseFieldText(field: DescField, path: string, values: string[]): JsonValue {
  if (field.fieldKind === 'list') {
    if (isObjectMessage(field.message)) throw invalid(path, 'cannot be set in the query');
    return values.map((value) => scalarFromText(field, path, value));
  }
  const [value, second] = values;
  if (value === undefined || second !== undefined) throw invalid(path, 'must be set only once');
  if (field.fieldKind === 'map' || isObjectMessage(field.message)) {
    throw invalid(path, 'cannot be set in the query');
  }
  return scalarFromText(field, path, value);
}

// ProtoJSON also writes all other scalars and the well-known types as text. A wrapper, such as
// BoolValue, is written as its value.
function scalarFromText(field: DescField, path: string, value: string): JsonValue {
  const { scalar, enum: isEnum } = wrappedValue(field.message) ?? field;
  if (scalar === ScalarType.BOOL) {
    if (value === 'true') return true;
    if (value === 'false') return false;
  }
  if (isEnum && /^-?\d+$/.test(value)) return Number(value);
  // The library also accepts white space, which ProtoJSON does not permit.
  const isBytes = scalar === ScalarType.BYTES;
  if (isBytes && !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) throw invalid(path, wrongType);
  requireTextForm(field, path, value);
  return value;
}

const wrappedValue = (message: DescMessage | undefined): DescField | undefined =>
  message !== undefined && isWrapperDesc(message) ? message.fields[0] : undefined;
