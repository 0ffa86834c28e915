/** A field for scopes: a row per area, with a box for read and one for write. */
import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { type ReactNode, useId, useRef, useState } from 'react';
import { FoldedFields } from '../folded-fields.tsx';
import { validateCount } from '../split-words.ts';
import { AddArea } from './add-area.tsx';
import { areasOf, describeScope, isManagementArea } from './management-scopes.ts';
import classes from './scopes-field.module.css';

const scopesMax = 100;
/** More areas are suggestions of the text field. */
const shownAreasMax = 12;
/** A shorter list needs no buttons that choose many scopes. */
const shortcutsMin = 7;

/** Returns the error of the field; null if it is valid. */
export const validateScopes = (scopes: readonly string[]) => validateCount(scopes, scopesMax);

/** As `validateScopes`, for a field that must have at least one scope. */
export const requireScopes = (scopes: readonly string[]) =>
  scopes.length === 0 ? 'Choose at least one scope.' : validateScopes(scopes);

/** The properties from a form. */
export type ScopesInput = {
  readonly value: string[];
  readonly onChange: (scopes: string[]) => void;
  readonly error?: ReactNode;
  readonly required?: boolean;
  /** The name of the field in the form. */
  readonly 'data-path'?: string;
};

export type ScopesFieldProps = ScopesInput & {
  readonly description?: string;
  /** The areas of the service to show. */
  readonly areas: readonly string[];
  /** Whether the user can grant a scope of these areas. */
  readonly canGrant: (scope: string) => boolean;
  /** Describes such a scope. By default, for staff and services. */
  readonly describe?: (scope: string) => string | undefined;
  /** The other areas that are in use. Absent if only scopes of `areas` can be granted. */
  readonly areasInUse?: readonly string[];
};

export function ScopesField(props: ScopesFieldProps) {
  const { value, areas, canGrant, describe = describeScope, areasInUse, ...others } = props;
  const { 'data-path': path = 'scopes', description, ...group } = others;
  const both = ' Write doesn’t include read.';
  return (
    <Checkbox.Group
      label="Scopes"
      {...group}
      value={value}
      description={`${description ?? ''}${both}`.trimStart()}
      data-path={path}
    >
      <Stack gap="sm" mt="xs">
        {areasInUse === undefined ? null : (
          <FreeAreas {...props} areasInUse={areasInUse} path={path} />
        )}
        {areasInUse === undefined && areas.length >= shortcutsMin ? (
          <Shortcuts areas={areas} canGrant={canGrant} onChange={others.onChange} />
        ) : null}
        <ManagementAreas isFolded={areasInUse !== undefined && areas.length > 1} value={value}>
          {areas.map((area) => (
            <Area key={area} area={area} canGrant={canGrant} describe={describe} />
          ))}
        </ManagementAreas>
      </Stack>
    </Checkbox.Group>
  );
}

type ShortcutsProps = Pick<ScopesFieldProps, 'areas' | 'canGrant' | 'onChange'>;

/** Choose many scopes at once. */
function Shortcuts({ areas, canGrant, onChange }: ShortcutsProps) {
  const all = areas.flatMap((area) => [`${area}:read`, `${area}:write`]).filter(canGrant);
  const choices = [
    ['All scopes', all],
    ['All read scopes', all.filter((scope) => scope.endsWith(':read'))],
    ['Clear', []],
  ] as const;
  return (
    <Group gap="xs">
      {choices.map(([label, scopes]) => (
        <Button
          key={label}
          variant="default"
          size="compact-xs"
          onClick={() => onChange([...scopes])}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}

type ScopesSubsetFieldProps = ScopesInput & {
  readonly label: string;
  readonly description: string;
  /** The scopes to choose from. */
  readonly scopes: readonly string[];
};

/** A field for some of the given scopes. */
export function ScopesSubsetField({ scopes, ...group }: ScopesSubsetFieldProps) {
  return (
    <Checkbox.Group {...group}>
      <div>
        {areasOf(scopes).map((area) => (
          <Area key={area} area={area} canGrant={(scope) => scopes.includes(scope)} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

type FreeAreasProps = ScopesFieldProps & {
  readonly areasInUse: readonly string[];
  readonly path: string;
};

/** The areas of other services. Any name can be added. */
function FreeAreas({ value, onChange, areas, areasInUse, path }: FreeAreasProps) {
  const [added, setAdded] = useState<readonly string[]>(() => areasOf(value));
  const rows = useRef<HTMLDivElement>(null);
  const chosen = new Set([...added, ...areasOf(value)].filter((area) => !isManagementArea(area)));
  const suggested = areasInUse.filter((area) => !chosen.has(area));
  const free = Math.max(0, shownAreasMax - chosen.size);
  const shown = [...chosen, ...suggested.slice(0, free)].sort();

  function add(names: readonly string[], scopes: readonly string[]): void {
    setAdded([...added, ...names]);
    onChange([...new Set([...value, ...scopes])]);
    // The new row exists after the next rendering.
    const [first] = names;
    setTimeout(() => rows.current?.querySelector<HTMLElement>(`[value="${first}:read"]`)?.focus());
  }

  return (
    <div>
      <div ref={rows}>
        {shown.map((area) => (
          <Area key={area} area={area} />
        ))}
      </div>
      <AddArea suggestions={suggested.slice(free)} areas={areas} add={add} path={path} />
    </div>
  );
}

type ManagementAreasProps = {
  readonly isFolded: boolean;
  readonly value: readonly string[];
  readonly children: ReactNode;
};

function ManagementAreas({ isFolded, value, children }: ManagementAreasProps) {
  const count = areasOf(value).filter(isManagementArea).length;
  if (!isFolded) return <div>{children}</div>;
  return (
    <FoldedFields label="Scopes of Latchkey" isOpen={count > 0}>
      {children}
    </FoldedFields>
  );
}

type AreaProps = {
  readonly area: string;
  readonly canGrant?: (scope: string) => boolean;
  readonly describe?: (scope: string) => string | undefined;
};

function Area({ area, canGrant = () => true, describe }: AreaProps) {
  const id = useId();
  const isPlain = describe === undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend cannot be a column.
    <div className={classes.area} role="group" aria-labelledby={id} data-plain={isPlain}>
      <span id={id} className="mono">
        {area}
      </span>
      {['read', 'write'].map((access) => {
        const scope = `${area}:${access}`;
        const isRefused = !canGrant(scope);
        const note = isRefused && !isPlain ? ' You don’t have this scope.' : '';
        const text = `${describe?.(scope) ?? ''}${note}`.trimStart();
        return (
          <Checkbox
            key={scope}
            value={scope}
            disabled={isRefused}
            aria-label={scope}
            label={access === 'read' ? 'Read' : 'Write'}
            description={text === '' ? undefined : text}
          />
        );
      })}
    </div>
  );
}
