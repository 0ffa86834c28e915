// The maximum lifetime of a token is that of the settings in src, and of the fields of clients.
import { getOption } from '@bufbuild/protobuf';
import { field as fieldRules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { expect, it } from 'vitest';
import {
  CreateClientRequestSchema,
  UpdateClientRequestSchema,
} from '../../../gen/latchkey/identity/v1/client_pb.js';
import { tokenSecondsMax } from '../../../src/base/limits/token-seconds.ts';

it('the fields of clients have the maximum lifetime of a token', () => {
  for (const { field } of [CreateClientRequestSchema, UpdateClientRequestSchema]) {
    const { type } = getOption(field.tokenSeconds, fieldRules);
    expect(type.value).toMatchObject({ lessThan: { case: 'lte', value: tokenSecondsMax } });
  }
});
