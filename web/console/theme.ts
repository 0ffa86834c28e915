import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** Shades of the accent colour of the viewer. */
const accent: MantineColorsTuple = [
  '#eef4fd',
  '#dbe6f8',
  '#b5cdf1',
  '#8bb5f5',
  '#6799e6',
  '#4a84de',
  '#3573d3',
  '#2866c4',
  '#1d5bb8',
  '#174a97',
];

/** Neutral colours with a little of the accent. */
const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#f0f2f5',
  '#e6e9ee',
  '#dbe0e7',
  '#c8cfd9',
  '#a3adba',
  '#7d8896',
  '#566273',
  '#364150',
  '#1b2430',
];

/** The dark colours of the viewer. */
const dark: MantineColorsTuple = [
  '#e7ebf0',
  '#c6ced8',
  '#a1adbb',
  '#8995a3',
  '#3d4854',
  '#2f3843',
  '#252c35',
  '#1c222a',
  '#161b21',
  '#12161b',
];

const heading = (fontSize: string, lineHeight: string) => ({ fontSize, lineHeight });

const dialogProps = {
  closeButtonProps: { 'aria-label': 'Close' },
  // No fade-out: the content of a dialog disappears before the dialog would.
  transitionProps: { duration: 0 },
  // Otherwise, the header is a second banner of the page.
  attributes: { header: { role: 'presentation' } },
};

const dialogStyles = {
  title: { fontWeight: 600, lineHeight: 1.3, minWidth: 0, overflowWrap: 'anywhere' },
} as const;

export const theme = createTheme({
  respectReducedMotion: true,
  primaryColor: 'accent',
  primaryShade: { light: 8, dark: 8 },
  black: '#1b2430',
  colors: { accent, gray, dark },
  defaultRadius: 'md',
  radius: { md: '6px', lg: '8px' },
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  // Four sizes: page titles, section titles, text, and secondary text.
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.875rem', lg: '1.125rem', xl: '1.5rem' },
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: heading('1.5rem', '1.3'),
      h2: heading('1.125rem', '1.4'),
      h3: heading('0.875rem', '1.45'),
      h4: heading('0.875rem', '1.45'),
    },
  },
  components: {
    // Badges never shrink in narrow columns.
    Badge: { defaultProps: { miw: 'max-content', tt: 'none', fw: 500 } },
    Menu: { defaultProps: { shadow: 'md', transitionProps: { duration: 0 } } },
    Popover: {
      defaultProps: {
        shadow: 'md',
        transitionProps: { duration: 0 },
        // Limits the height to the window.
        middlewares: { flip: true, shift: true, size: true },
      },
      styles: { dropdown: { overflowY: 'auto' } },
    },
    Modal: { defaultProps: { centered: true, ...dialogProps }, styles: dialogStyles },
    Drawer: { defaultProps: dialogProps, styles: dialogStyles },
    // Screen readers ignore the label of an element without a role.
    Loader: { defaultProps: { role: 'img' } },
  },
});
