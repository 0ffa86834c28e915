// Prints a file descriptor as the .proto source that it was compiled from, without comments. It
// supports only the features of buf/validate/validate.proto and throws for any other, so that an
// update of the package loses nothing unnoticed.
import { createRegistry, getExtension, isFieldSet } from '@bufbuild/protobuf';
import { protoCamelCase, reflect } from '@bufbuild/protobuf/reflect';
import {
  DescriptorProto_ExtensionRangeSchema,
  DescriptorProto_ReservedRangeSchema,
  DescriptorProtoSchema,
  EnumDescriptorProto_EnumReservedRangeSchema,
  EnumDescriptorProtoSchema,
  EnumValueDescriptorProtoSchema,
  FieldDescriptorProtoSchema,
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  FileOptionsSchema,
  FieldDescriptorProto_Label as Label,
  OneofDescriptorProtoSchema,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt';

/** @param {import('@bufbuild/protobuf').DescFile} file of syntax proto2 */
export function printFile(file) {
  const { proto } = file;
  const known = 'name package dependency options extension enum_type message_type';
  refuseUnknown(FileDescriptorProtoSchema, proto, known);
  const registry = createRegistry(file);
  const lines = [
    'syntax = "proto2";',
    `package ${proto.package};`,
    ...proto.dependency.map((path) => `import ${quote(path)};`),
    ...printOptions(FileOptionsSchema, proto.options, registry).map((set) => `option ${set};`),
    ...proto.extension.flatMap((field) =>
      block(`extend ${field.extendee}`, [printField(field, registry)]),
    ),
    ...proto.enumType.flatMap(printEnum),
    ...proto.messageType.flatMap((message) => printMessage(message, registry)),
  ];
  return `${lines.join('\n')}\n`;
}

function printMessage(message, registry) {
  const known = 'name field oneof_decl extension_range reserved_range reserved_name';
  refuseUnknown(DescriptorProtoSchema, message, known);
  return block(`message ${message.name}`, [
    ...printFields(message, registry),
    ...message.extensionRange.map((range) => {
      refuseUnknown(DescriptorProto_ExtensionRangeSchema, range, 'start end');
      return `extensions ${range.start} to ${range.end - 1};`;
    }),
    ...message.reservedRange.map((range) => {
      refuseUnknown(DescriptorProto_ReservedRangeSchema, range, 'start end');
      return `reserved ${range.start} to ${range.end - 1};`;
    }),
    ...message.reservedName.map((name) => `reserved ${quote(name)};`),
  ]);
}

function printFields(message, registry) {
  const lines = [];
  const opened = new Set();
  for (const field of message.field) {
    if (!isInOneof(field)) {
      lines.push(printField(field, registry));
    } else if (!opened.has(field.oneofIndex)) {
      opened.add(field.oneofIndex);
      lines.push(...printOneof(message, field.oneofIndex, registry));
    }
  }
  return lines;
}

function printOneof(message, index, registry) {
  const oneof = message.oneofDecl[index];
  refuseUnknown(OneofDescriptorProtoSchema, oneof, 'name');
  const members = message.field.filter((field) => isInOneof(field) && field.oneofIndex === index);
  return block(
    `oneof ${oneof.name}`,
    members.map((field) => printField(field, registry)),
  );
}

function printField(field, registry) {
  const known = 'name number label type type_name extendee json_name oneof_index options';
  refuseUnknown(FieldDescriptorProtoSchema, field, known);
  if (field.jsonName !== protoCamelCase(field.name)) refuse(`the json_name of ${field.name}`);
  const label = isInOneof(field) ? '' : `${Label[field.label].toLowerCase()} `;
  const options = printOptions(FieldOptionsSchema, field.options, registry);
  const tail = options.length > 0 ? ` [${options.join(', ')}]` : '';
  return `${label}${typeOf(field)} ${field.name} = ${field.number}${tail};`;
}

function typeOf({ type, typeName }) {
  if (type === Type.GROUP) refuse('a group');
  return type === Type.MESSAGE || type === Type.ENUM ? typeName : Type[type].toLowerCase();
}

function isInOneof(field) {
  return isFieldSet(field, FieldDescriptorProtoSchema.field.oneofIndex);
}

function printEnum(desc) {
  refuseUnknown(EnumDescriptorProtoSchema, desc, 'name value reserved_range reserved_name');
  return block(`enum ${desc.name}`, [
    ...desc.value.map((value) => {
      refuseUnknown(EnumValueDescriptorProtoSchema, value, 'name number');
      return `${value.name} = ${value.number};`;
    }),
    ...desc.reservedRange.map((range) => {
      refuseUnknown(EnumDescriptorProto_EnumReservedRangeSchema, range, 'start end');
      return `reserved ${range.start} to ${range.end};`;
    }),
    ...desc.reservedName.map((name) => `reserved ${quote(name)};`),
  ]);
}

/** Prints each option as `name = value`. Extensions are unknown fields until they are read. */
function printOptions(schema, options, registry) {
  if (options === undefined) return [];
  const numbers = new Set(options.$unknown?.map((field) => field.no));
  return [
    ...setFields(schema, options).map((field) => {
      return `${field.name} = ${printValue(field, options[field.localName])}`;
    }),
    ...[...numbers].map((number) => {
      const extension = registry.getExtensionFor(schema, number);
      if (extension === undefined) refuse(`option ${number} of ${schema.typeName}`);
      const value = getExtension(options, extension);
      return `(.${extension.typeName}) = ${printValue(extension, value)}`;
    }),
  ];
}

/** Prints a value in the text format, on one line. */
function printValue(field, value) {
  if (field.fieldKind === 'list') {
    return `[${value.map((item) => printSingular(field, item)).join(', ')}]`;
  }
  return printSingular(field, value);
}

function printSingular(field, value) {
  if (field.message !== undefined) return printMessageValue(field.message, value);
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean') return String(value);
  return refuse(`the value of ${field.name}`);
}

function printMessageValue(schema, message) {
  if (message.$unknown?.length > 0) refuse(`an unknown field of ${schema.typeName}`);
  const members = setFields(schema, message).map((field) => {
    return `${field.name}: ${printValue(field, message[field.localName])}`;
  });
  return `{${members.join(' ')}}`;
}

function setFields(schema, message) {
  const reflected = reflect(schema, message);
  return schema.fields.filter((field) => reflected.isSet(field));
}

function refuseUnknown(schema, message, known) {
  const names = known.split(' ');
  const strange = setFields(schema, message).find((field) => !names.includes(field.name));
  if (strange !== undefined) refuse(strange);
  if (message.$unknown?.length > 0) refuse(`an unknown field of ${schema.typeName}`);
}

function refuse(what) {
  throw new Error(`Cannot print ${what}: scripts/print-descriptor.mjs does not support it`);
}

// JSON's escapes are a subset of those of a string literal in a .proto file.
function quote(text) {
  return JSON.stringify(text);
}

function block(head, lines) {
  return [`${head} {`, ...lines.map((line) => `  ${line}`), '}'];
}
