// Invalid http rules and contradictory access rules, which stop the server at start.
import type { FileRegistry } from '@bufbuild/protobuf';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../src/api/endpoint.ts';
import { bindingsOf } from '../../../src/transports/gateway/binding.ts';
import { itHoldsFor } from '../../support/rule.ts';
import { compileProto, endpointsOf, serveEndpoints } from '../../support/test-protos.ts';

type Case = {
  /** The http rule. */
  rule: string;
  /** Request and response; by default plain messages. */
  types?: string;
  /** The method's other HTTP options. */
  http?: string;
  error: string;
};

const refused: Record<string, Case> = {
  UnknownVariable: { rule: 'get: "/a/{nope}"', error: 'test.v1.Thing has no field "nope"' },
  UnknownNested: { rule: 'get: "/a/{child.nope}"', error: 'test.v1.Child has no field "nope"' },
  JsonSpelling: { rule: 'get: "/a/{fullName}"', error: 'test.v1.Thing has no field "fullName"' },
  MessageVariable: {
    rule: 'get: "/a/{child}"',
    error: 'the path binds "child", which must be a single',
  },
  ListVariable: {
    rule: 'get: "/a/{tags}"',
    error: 'the path binds "tags", which must be a single',
  },
  MapVariable: {
    rule: 'get: "/a/{labels}"',
    error: 'the path binds "labels", which must be a single',
  },
  InsideScalar: { rule: 'get: "/a/{full_name.x}"', error: '"full_name" of "full_name.x" has no' },
  InsideList: { rule: 'get: "/a/{children.name}"', error: '"children" of "children.name" has no' },
  BadTemplate: { rule: 'get: "/a/{child"', error: 'path template "/a/{child" is wrong at column' },
  EmptyPath: { rule: 'get: ""', error: 'path template "" is wrong at column 1' },
  GetWithBody: { rule: 'get: "/a" body: "*"', error: 'a GET rule must not have a body' },
  HeadWithBody: {
    rule: 'custom: {kind: "HEAD" path: "/a"} body: "child"',
    error: 'a HEAD rule must not have a body',
  },
  UnknownBody: { rule: 'post: "/a" body: "nope"', error: 'test.v1.Thing has no field "nope"' },
  NestedBody: {
    rule: 'post: "/a" body: "child.name"',
    error: 'test.v1.Thing has no field "child.name"',
  },
  BodyInPath: {
    rule: 'post: "/a/{full_name}" body: "full_name"',
    error: 'the path binds "full_name", which is already the body',
  },
  UnknownResponseBody: {
    rule: 'get: "/a" response_body: "nope"',
    error: 'test.v1.Thing has no field "nope"',
  },
  StarResponseBody: {
    rule: 'get: "/a" response_body: "*"',
    error: 'test.v1.Thing has no field "*"',
  },
  Selector: {
    rule: 'get: "/a" selector: "test.v1.X"',
    error: 'the http rule must not have a selector',
  },
  AnyKind: {
    rule: 'custom: {kind: "*" path: "/a"}',
    error: 'the custom method "*" is not supported',
  },
  UnknownKind: {
    rule: 'custom: {kind: "FETCH" path: "/a"}',
    error: 'the custom method "FETCH" is not supported',
  },
  LowerCaseKind: {
    rule: 'custom: {kind: "link" path: "/a"}',
    error: 'the custom method "link" is not supported',
  },
  TunnelKind: {
    rule: 'custom: {kind: "CONNECT" path: "/a"}',
    error: 'the custom method "CONNECT" is not supported',
  },
  AdditionalIsBad: {
    rule: 'get: "/a" additional_bindings: {get: "/b/{nope}"}',
    error: 'test.v1.Thing has no field "nope"',
  },
  AdditionalIsEmpty: {
    rule: 'get: "/a" additional_bindings: {body: "*"}',
    error: 'the http rule must have a pattern',
  },
  Nested: {
    rule: 'get: "/a" additional_bindings: {get: "/b" additional_bindings: {get: "/c"}}',
    error: 'an additional binding must not have additional bindings',
  },
  UploadWithoutForm: {
    rule: 'post: "/a" body: "*"',
    types: 'stream Thing, Thing',
    error: 'a stream of requests and the multipart option must be set together',
  },
  FormWithoutUpload: {
    rule: 'post: "/a" body: "*"',
    http: 'multipart: {file_field: "data"}',
    error: 'a stream of requests and the multipart option must be set together',
  },
  FormWithoutBody: {
    rule: 'post: "/a"',
    types: 'stream Thing, Thing',
    http: 'multipart: {file_field: "data"}',
    error: 'the body of a multipart method must be "*"',
  },
  FormWithVariable: {
    rule: 'post: "/a/{data}" body: "*"',
    types: 'stream Thing, Thing',
    http: 'multipart: {file_field: "data"}',
    error: 'the path of a multipart method binds "data": must be a string',
  },
  FormWithoutFile: {
    rule: 'post: "/a" body: "*"',
    types: 'stream Thing, Thing',
    http: 'multipart: {}',
    error: 'test.v1.Thing has no field ""',
  },
  FormWithTextFile: {
    rule: 'post: "/a" body: "*"',
    types: 'stream Thing, Thing',
    http: 'multipart: {file_field: "full_name"}',
    error: 'file_field "full_name" must be a bytes field',
  },
  FormWithBytesName: {
    rule: 'post: "/a" body: "*"',
    types: 'stream Thing, Thing',
    http: 'multipart: {file_field: "data" file_name_field: "data"}',
    error: 'file_name_field "data" must be a string field',
  },
  StreamWithoutDownload: {
    rule: 'get: "/a"',
    types: 'Thing, stream Thing',
    error: 'a stream of responses and the download option must be set together',
  },
  DownloadWithoutStream: {
    rule: 'get: "/a"',
    http: 'download: true',
    error: 'a stream of responses and the download option must be set together',
  },
  DownloadOfOneField: {
    rule: 'get: "/a" response_body: "data"',
    types: 'Thing, stream Piece',
    http: 'download: true',
    error: 'a download must not have a response_body',
  },
  DownloadOfAnything: {
    rule: 'get: "/a"',
    types: 'Thing, stream Thing',
    http: 'download: true',
    error: 'a download must stream messages with a header or a chunk',
  },
  OAuthWithoutBody: {
    rule: 'post: "/a"',
    http: 'oauth_form: true',
    error: 'the body of an OAuth form must be "*"',
  },
  OAuthWithoutClient: {
    rule: 'post: "/a" body: "*"',
    types: 'Child, Thing',
    http: 'oauth_form: true',
    error: 'test.v1.Child has no field "client_id"',
  },
  OAuthWithNumbers: {
    rule: 'post: "/a" body: "*"',
    types: 'Token, Thing',
    http: 'oauth_form: true',
    error: '"scopes" must have strings, as in every OAuth form',
  },
  OddSuccess: {
    rule: 'get: "/a"',
    http: 'success_status: 302',
    error: 'success_status must be 200 or 201, not 302',
  },
  LocationOfNothing: {
    rule: 'post: "/a" body: "*"',
    http: 'location: "/a/{nope}"',
    error: 'test.v1.Thing has no field "nope"',
  },
  OddDefaults: { rule: 'get: "/a"', types: 'Thing, Odd', error: '"name" must be a bool field' },
};

const collisions = {
  SamePath: ['get: "/a"', 'get: "/a"'],
  SameButForNames: ['get: "/a/{full_name}"', 'get: "/a/{child.name}"'],
  SameByAdditional: ['get: "/a"', 'get: "/b" additional_bindings: {get: "/a"}'],
  SameAsEncoded: ['get: "/a%62"', 'get: "/ab"'],
};

const flaws: Record<string, { access: string; error: string }> = {
  NoAccess: { access: '', error: 'the method has no access option' },
  EmptyAccess: { access: '{}', error: 'the method has no access option' },
  PublicWithScope: {
    access: '{public: true scope: "a:read"}',
    error: 'a public method must not have other access rules',
  },
  BadScope: {
    access: '{scope: "A:read" principals: [PRINCIPAL_TYPE_STAFF]}',
    error: '"A:read" is not a scope',
  },
  NoCallerType: { access: '{scope: "a:read"}', error: 'the access option accepts no caller type' },
  Unspecified: {
    access: '{scope: "a:read" principals: [PRINCIPAL_TYPE_UNSPECIFIED]}',
    error: 'the access option accepts an unspecified caller type',
  },
  NoWorkspaceField: {
    access: '{scope: "a:read" principals: [PRINCIPAL_TYPE_STAFF] workspace: true}',
    error: 'its request has no field workspace_id',
  },
};

const publicAccess = 'option (latchkey.options.v1.access) = {public: true};';

function source(): string {
  const method = (name: string, types: string, options: string) => {
    const [input, output] = types.split(', ');
    return `rpc ${name}(${input}) returns (${output}) { ${options} }`;
  };
  const services = [
    ...Object.entries(refused).map(([name, { rule, types, http }]) => {
      const form = http === undefined ? '' : `option (latchkey.options.v1.http) = {${http}};`;
      const options = `option (google.api.http) = {${rule}}; ${form} ${publicAccess}`;
      return `service ${name} { ${method('Bad', types ?? 'Thing, Thing', options)} }`;
    }),
    ...Object.entries(collisions).map(([name, rules]) => {
      const rpcs = rules.map((rule, i) =>
        method(`M${i}`, 'Thing, Thing', `option (google.api.http) = {${rule}}; ${publicAccess}`),
      );
      return `service ${name} { ${rpcs.join('\n')} }`;
    }),
    ...Object.entries(flaws).map(([name, { access }]) => {
      const option = access === '' ? '' : `option (latchkey.options.v1.access) = ${access};`;
      return `service ${name} { ${method('Bad', 'Thing, Thing', option)} }`;
    }),
    `service Unrouted { ${method('M', 'Thing, Thing', publicAccess)} }`,
    `service Bidi { ${method('M', 'stream Thing, stream Thing', publicAccess)} }`,
  ];
  return `
    syntax = "proto3";
    package test.v1;
    import "google/api/annotations.proto";
    import "latchkey/options/v1/access.proto";
    import "latchkey/options/v1/http.proto";
    message Child { string name = 1; }
    message Thing {
      string full_name = 1;
      Child child = 2;
      repeated string tags = 3;
      map<string, string> labels = 4;
      repeated Child children = 5;
      bytes data = 6;
    }
    message Odd { option (latchkey.options.v1.omit_defaults_unless) = "name"; string name = 1; }
    message Token { string client_id = 1; string client_secret = 2; string grant_type = 3;
      repeated uint32 scopes = 4; }
    message Piece { oneof part { Child header = 1; bytes chunk = 2; } string data = 3; }
    ${services.join('\n')}`;
}

let registry: FileRegistry;
beforeAll(async () => {
  registry = await compileProto({ 'test/bad.proto': source() });
});

function endpoints(service: string): Endpoint[] {
  return endpointsOf(registry, `test.v1.${service}`, () => (request: unknown) => request);
}

describe('an unsupported http rule stops the start and names its method:', () => {
  itHoldsFor(Object.entries(refused), 42)('for each flaw', async (name, { error }) => {
    const [endpoint] = endpoints(name);
    expect(() => endpoint && bindingsOf(endpoint)).toThrow(`test.v1.${name}/Bad: `);
    await expect(serveEndpoints(endpoints(name))).rejects.toThrow(error);
  });
});

describe('two rules that match the same requests stop the start, naming both methods:', () => {
  itHoldsFor(Object.keys(collisions), 4)('for each collision', async (name) => {
    await expect(serveEndpoints(endpoints(name))).rejects.toThrow(
      new RegExp(`test.v1.${name}/M0 .* and test.v1.${name}/M1 .* match the same requests`),
    );
  });
});

describe('a contradictory access rule stops the start and names its method:', () => {
  itHoldsFor(Object.entries(flaws), 7)('for each contradiction', (name, { error }) => {
    expect(() => endpoints(name)).toThrow(`test.v1.${name}/Bad: `);
    expect(() => endpoints(name)).toThrow(error);
  });

  test('a bidirectional stream, which no transport supports', () => {
    expect(() => endpoints('Bidi')).toThrow('test.v1.Bidi/M: no transport carries streams in both');
  });
});

test('a method without an http rule has no path', () => {
  expect(endpoints('Unrouted').flatMap(bindingsOf)).toEqual([]);
});
