/** Opens and closes the details of a table row. */
import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { createContext, type ReactNode, useContext, useId, useState } from 'react';
import classes from './row-toggle.module.css';

type RowToggleState = {
  /** The id of the details. */
  readonly id: string;
  readonly isOpen: boolean;
  change(): void;
};

const RowToggleContext = createContext<RowToggleState | undefined>(undefined);

export const RowToggleProvider = RowToggleContext.Provider;

export function useRowToggle(): RowToggleState {
  const [isOpen, setOpen] = useState(false);
  return { id: useId(), isOpen, change: () => setOpen(!isOpen) };
}

type RowToggleProps = {
  /** Required without children. */
  readonly label?: string;
  readonly children?: ReactNode;
};

/** A button in a cell of the row. */
export function RowToggle({ label, children }: RowToggleProps) {
  const toggle = useContext(RowToggleContext);
  if (toggle === undefined) throw new TypeError('the button is not in a table row');
  const { id, isOpen, change } = toggle;
  return (
    <UnstyledButton
      className={classes.toggle ?? ''}
      onClick={change}
      aria-expanded={isOpen}
      aria-label={label}
      {...(isOpen ? { 'aria-controls': id } : {})}
    >
      <IconChevronRight size={16} aria-hidden className={classes.icon} />
      {children}
    </UnstyledButton>
  );
}
