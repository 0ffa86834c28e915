/** The filters of the audit log by the names of people, resources and actions. */
import { ResourceKind } from '../../../gen/latchkey/identity/v1/search_pb.js';
import { type FoundResource, useFoundResources } from '../shared/found-resources.ts';
import type { FilterFieldProps } from '../shared/lists/filters.ts';
import {
  type FilterOption,
  type FoundOptions,
  OptionFilter,
} from '../shared/lists/option-filter.tsx';
import { auditActions } from './audit-labels.ts';
import { actionLabel } from './audit-words.ts';

const foundMax = 50;

/** The kinds that can make calls. */
const actorKinds: ReadonlySet<ResourceKind> = new Set([
  ResourceKind.CLIENT,
  ResourceKind.CUSTOMER,
  ResourceKind.USER,
  ResourceKind.WORKSPACE_API_KEY,
]);

const optionOf = ({ result, label, description }: FoundResource): FilterOption => ({
  value: result.id,
  label,
  description,
});

function useTargets(text: string): FoundOptions {
  const { found, isPending } = useFoundResources(text, foundMax);
  return { options: found.map(optionOf), isPending };
}

function useActors(text: string): FoundOptions {
  const { found, isPending } = useFoundResources(text, foundMax);
  const actors = found.filter(({ result }) => actorKinds.has(result.kind));
  return { options: actors.map(optionOf), isPending };
}

/** The resource with this id, if the user may list it. */
const useResource = (id: string): FilterOption | undefined =>
  useTargets(id).options.find(({ value }) => value === id);

/** The name, or the id if the name is not known. */
export const useResourceName = (id: string): string => useResource(id)?.label ?? id;

function ResourceFilter(props: FilterFieldProps & Pick<OptionProps, 'useOptions'>) {
  const initial = useResource(props.value ?? '');
  return (
    <OptionFilter
      key={initial?.value ?? ''}
      {...props}
      initial={initial}
      placeholder="Name, email address or ID"
    />
  );
}

type OptionProps = Parameters<typeof OptionFilter>[0];

export const ActorFilter = (props: FilterFieldProps) => (
  <ResourceFilter {...props} useOptions={useActors} />
);

export const TargetFilter = (props: FilterFieldProps) => (
  <ResourceFilter {...props} useOptions={useTargets} />
);

const actions: readonly FilterOption[] = auditActions
  .map((action) => ({ value: action, label: actionLabel(action), description: action }))
  .sort((one, other) => one.label.localeCompare(other.label));

/** The actions that contain every word of the text. */
function useActions(text: string): FoundOptions {
  const words = text.toLowerCase().split(/\s+/);
  const options = actions.filter(({ label, value }) => {
    const searched = `${label} ${value}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  return { options, isPending: false };
}

const actionOf = (value: string | undefined) => actions.find((action) => action.value === value);

/** The action in words, or the name of one that is not known. */
export const useActionText = (value: string): string => actionOf(value)?.label ?? value;

export const ActionFilter = (props: FilterFieldProps) => (
  <OptionFilter
    {...props}
    initial={actionOf(props.value)}
    useOptions={useActions}
    placeholder="Such as “created the client”"
  />
);
