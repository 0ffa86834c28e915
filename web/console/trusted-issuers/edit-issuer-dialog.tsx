import { useForm } from '@mantine/form';
import {
  type TrustedIssuer,
  TrustedIssuerService,
} from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { editedPaths } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';
import { IssuerFields, type IssuerValues } from './issuer-fields.tsx';
import { sourceOf, toRequestFields } from './key-source.ts';

export function EditIssuerDialog({ issuer }: { readonly issuer: TrustedIssuer }) {
  const update = useMethod(TrustedIssuerService.method.updateTrustedIssuer);
  const initialValues: IssuerValues = {
    name: issuer.name,
    audience: issuer.audience,
    source: sourceOf(issuer),
    jwksUri: issuer.jwksUri,
    jwks: issuer.jwks === undefined ? '' : JSON.stringify(issuer.jwks, undefined, 2),
  };
  const form = useForm({ initialValues });
  return (
    <FormDialog
      title="Edit trusted issuer"
      label="Save"
      done="Trusted issuer saved"
      form={form}
      submit={(values) =>
        update({
          issuerId: issuer.id,
          etag: issuer.etag,
          name: values.name,
          audience: values.audience,
          ...toRequestFields(values),
          updateMask: { paths: pathsOf(values, initialValues) },
        })
      }
    >
      <IssuerFields form={form} />
    </FormDialog>
  );
}

/** New keys are read at once, so that unchanged fields are left out. */
function pathsOf(values: IssuerValues, before: IssuerValues): string[] {
  const { name, audience, ...keys } = values;
  const { name: nameBefore, audience: audienceBefore, ...keysBefore } = before;
  return [
    ...editedPaths({ name, audience }, { name: nameBefore, audience: audienceBefore }),
    ...(editedPaths(keys, keysBefore).length === 0 ? [] : ['jwks_uri', 'jwks']),
  ];
}
