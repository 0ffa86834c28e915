// The parts of the OTLP protos that the tests read.
import { createFileRegistry, fromBinary, fromJson, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

const field = (name: string, number: number, type: string, repeated = false) => ({
  name,
  jsonName: name,
  number,
  label: repeated ? 'LABEL_REPEATED' : 'LABEL_OPTIONAL',
  ...(type.startsWith('.') ? { type: 'TYPE_MESSAGE', typeName: type } : { type }),
});

const file = {
  name: 'otlp.proto',
  package: 'otlp',
  syntax: 'proto3',
  messageType: [
    { name: 'Export', field: [field('resources', 1, '.otlp.ResourceData', true)] },
    {
      name: 'ResourceData',
      field: [field('resource', 1, '.otlp.Resource'), field('scopes', 2, '.otlp.Scope', true)],
    },
    { name: 'Resource', field: [field('attributes', 1, '.otlp.KeyValue', true)] },
    {
      name: 'KeyValue',
      field: [field('key', 1, 'TYPE_STRING'), field('value', 2, '.otlp.AnyValue')],
    },
    { name: 'AnyValue', field: [field('text', 1, 'TYPE_STRING')] },
    { name: 'Scope', field: [field('items', 2, '.otlp.Item', true)] },
    // A metric has its name in the field 1, and a span in the field 5.
    { name: 'Item', field: [field('first', 1, 'TYPE_BYTES'), field('name', 5, 'TYPE_BYTES')] },
  ],
};

type Item = { first?: string; name?: string };
type Export = {
  resources: {
    resource: { attributes: { key: string; value: { text?: string } }[] };
    scopes: { items: Item[] }[];
  }[];
};

const registry = createFileRegistry(fromJson(FileDescriptorSetSchema, { file: [file] }));

/** Decodes a request with traces or metrics. */
export function decodeExport(bytes: Uint8Array) {
  const schema = registry.getMessage('otlp.Export');
  if (schema === undefined) throw new Error('the message is not registered');
  const { resources } = toJson(schema, fromBinary(schema, bytes), { registry }) as Export;
  const text = (base64 = '') => Buffer.from(base64, 'base64');
  return resources.map(({ resource, scopes }) => {
    const items = scopes.flatMap((scope) => scope.items);
    return {
      instanceId: resource.attributes.find(({ key }) => key === 'service.instance.id')?.value.text,
      spans: items.map(({ first, name }) => ({
        traceId: text(first).toString('hex'),
        name: text(name).toString(),
      })),
      metrics: items.map(({ first }) => text(first).toString()),
    };
  });
}
