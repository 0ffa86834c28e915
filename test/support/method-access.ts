// What a method's option says about who may call it.
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { type Access, access as accessOption } from '../../gen/latchkey/options/v1/access_pb.js';

export function accessOf(method: DescMethod): Access {
  return getOption(method, accessOption);
}

/** The challenge of `forbidden`, which names the scope that is needed where there is one. */
export function insufficientScope({ scope }: Access): string {
  const needed = scope === '' ? '' : `, scope="${scope}"`;
  return `Bearer error="insufficient_scope"${needed}`;
}
