// Invalid http rules and contradictory access rules, which stop the server at start.
import type { FileRegistry } from '@bufbuild/protobuf';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../src/api/endpoint.ts';
import { bindingsOf } from '../../../src/transports/gateway/binding.ts';
import { casesOf, itHoldsFor } from '../../support/rule.ts';
import { compileProto, endpointsOf, serveEndpoints } from '../../support/test-protos.ts';

type Case = {
  /** The http rule. */
  rule: string;
  /** Request and response; by default plain messages. */
  types?: string;
  /** The method's other HTTP options. */
  http?: string;
};

const upload = 'stream Thing, Thing';

/** By the error. */
const refused: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  'test.v1.Thing has no field "nope"': {
    UnknownVariable: { rule: 'get: "/a/{nope}"' },
    UnknownBody: { rule: 'post: "/a" body: "nope"' },
    UnknownResponseBody: { rule: 'get: "/a" response_body: "nope"' },
    AdditionalIsBad: { rule: 'get: "/a" additional_bindings: {get: "/b/{nope}"}' },
    LocationOfNothing: { rule: 'post: "/a" body: "*"', http: 'location: "/a/{nope}"' },
  },
  'test.v1.Child has no field "nope"': { UnknownNested: { rule: 'get: "/a/{child.nope}"' } },
  'test.v1.Thing has no field "fullName"': { JsonSpelling: { rule: 'get: "/a/{fullName}"' } },
  'the path binds "child", which must be a single': {
    MessageVariable: { rule: 'get: "/a/{child}"' },
  },
  'the path binds "tags", which must be a single': { ListVariable: { rule: 'get: "/a/{tags}"' } },
  'the path binds "labels", which must be a single': {
    MapVariable: { rule: 'get: "/a/{labels}"' },
  },
  '"full_name" of "full_name.x" has no': { InsideScalar: { rule: 'get: "/a/{full_name.x}"' } },
  '"children" of "children.name" has no': { InsideList: { rule: 'get: "/a/{children.name}"' } },
  'path template "/a/{child" is wrong at column': { BadTemplate: { rule: 'get: "/a/{child"' } },
  'path template "" is wrong at column 1': { EmptyPath: { rule: 'get: ""' } },
  'a GET rule must not have a body': { GetWithBody: { rule: 'get: "/a" body: "*"' } },
  'a HEAD rule must not have a body': {
    HeadWithBody: { rule: 'custom: {kind: "HEAD" path: "/a"} body: "child"' },
  },
  'test.v1.Thing has no field "child.name"': {
    NestedBody: { rule: 'post: "/a" body: "child.name"' },
  },
  'the path binds "full_name", which is already the body': {
    BodyInPath: { rule: 'post: "/a/{full_name}" body: "full_name"' },
  },
  'test.v1.Thing has no field "*"': { StarResponseBody: { rule: 'get: "/a" response_body: "*"' } },
  'the http rule must not have a selector': {
    Selector: { rule: 'get: "/a" selector: "test.v1.X"' },
  },
  'the custom method "*" is not supported': { AnyKind: { rule: 'custom: {kind: "*" path: "/a"}' } },
  'the custom method "FETCH" is not supported': {
    UnknownKind: { rule: 'custom: {kind: "FETCH" path: "/a"}' },
  },
  'the custom method "link" is not supported': {
    LowerCaseKind: { rule: 'custom: {kind: "link" path: "/a"}' },
  },
  'the custom method "CONNECT" is not supported': {
    TunnelKind: { rule: 'custom: {kind: "CONNECT" path: "/a"}' },
  },
  'the http rule must have a pattern': {
    AdditionalIsEmpty: { rule: 'get: "/a" additional_bindings: {body: "*"}' },
  },
  'an additional binding must not have additional bindings': {
    Nested: { rule: 'get: "/a" additional_bindings: {get: "/b" additional_bindings: {get: "/c"}}' },
  },
  'a stream of requests and the multipart option must be set together': {
    UploadWithoutForm: { rule: 'post: "/a" body: "*"', types: upload },
    FormWithoutUpload: { rule: 'post: "/a" body: "*"', http: 'multipart: {file_field: "data"}' },
  },
  'the body of a multipart method must be "*"': {
    FormWithoutBody: { rule: 'post: "/a"', types: upload, http: 'multipart: {file_field: "data"}' },
  },
  'the path of a multipart method binds "data": must be a string': {
    FormWithVariable: {
      rule: 'post: "/a/{data}" body: "*"',
      types: upload,
      http: 'multipart: {file_field: "data"}',
    },
  },
  'test.v1.Thing has no field ""': {
    FormWithoutFile: { rule: 'post: "/a" body: "*"', types: upload, http: 'multipart: {}' },
  },
  'file_field "full_name" must be a bytes field': {
    FormWithTextFile: {
      rule: 'post: "/a" body: "*"',
      types: upload,
      http: 'multipart: {file_field: "full_name"}',
    },
  },
  'file_name_field "data" must be a string field': {
    FormWithBytesName: {
      rule: 'post: "/a" body: "*"',
      types: upload,
      http: 'multipart: {file_field: "data" file_name_field: "data"}',
    },
  },
  'a stream of responses and the download option must be set together': {
    StreamWithoutDownload: { rule: 'get: "/a"', types: 'Thing, stream Thing' },
    DownloadWithoutStream: { rule: 'get: "/a"', http: 'download: true' },
  },
  'a download must not have a response_body': {
    DownloadOfOneField: {
      rule: 'get: "/a" response_body: "data"',
      types: 'Thing, stream Piece',
      http: 'download: true',
    },
  },
  'a download must stream messages with a header or a chunk': {
    DownloadOfAnything: { rule: 'get: "/a"', types: 'Thing, stream Thing', http: 'download: true' },
  },
  'the body of an OAuth form must be "*"': {
    OAuthWithoutBody: { rule: 'post: "/a"', http: 'oauth_form: true' },
  },
  'test.v1.Child has no field "client_id"': {
    OAuthWithoutClient: {
      rule: 'post: "/a" body: "*"',
      types: 'Child, Thing',
      http: 'oauth_form: true',
    },
  },
  '"scopes" must have strings, as in every OAuth form': {
    OAuthWithNumbers: {
      rule: 'post: "/a" body: "*"',
      types: 'Token, Thing',
      http: 'oauth_form: true',
    },
  },
  'success_status must be 200 or 201, not 302': {
    OddSuccess: { rule: 'get: "/a"', http: 'success_status: 302' },
  },
  '"name" must be a bool field': { OddDefaults: { rule: 'get: "/a"', types: 'Thing, Odd' } },
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
    ...casesOf(refused).map(([name, _error, { rule, types, http }]) => {
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
  itHoldsFor(casesOf(refused), 42)('for each flaw', async (name, error) => {
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
