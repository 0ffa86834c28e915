import { Radio, Stack } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';

/** The costs are those of bench/README.md, which test/tidy/costs.test.ts compares. */
const algorithms = [
  {
    value: 'EdDSA',
    label: 'EdDSA',
    description: 'Fast and short. Choose it unless a verifier can’t do it.',
  },
  {
    value: 'ES256',
    label: 'ES256',
    description:
      'Tokens are as short as with EdDSA. A token request needs 1.3 to 2.0 times the processor ' +
      'time.',
  },
  {
    value: 'RS256',
    label: 'RS256',
    description:
      'For old verifiers. Tokens are 40% longer, and a token request needs 2.8 to 3.8 times the ' +
      'processor time.',
  },
];

export function AlgorithmField(props: GetInputPropsReturnType) {
  return (
    <Radio.Group label="Algorithm of its tokens" {...props}>
      <Stack gap="xs" mt={6}>
        {algorithms.map((algorithm) => (
          <Radio key={algorithm.value} {...algorithm} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
