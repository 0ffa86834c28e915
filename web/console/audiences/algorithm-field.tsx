import { Radio, Stack } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';

/** The costs are those of bench/signatures.mjs. */
const algorithms = [
  {
    value: 'EdDSA',
    label: 'EdDSA',
    description: 'Fast and short. Choose it unless a verifier can’t do it.',
  },
  {
    value: 'ES256',
    label: 'ES256',
    description: 'As short. Signing takes about a third more processor time.',
  },
  {
    value: 'RS256',
    label: 'RS256',
    description: 'For old verifiers. Tokens are 40% longer, and signing takes ten times as long.',
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
