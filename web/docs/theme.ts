// The colours and fonts of Redoc, like those of the console.
const fonts = {
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontSize: '15px',
  lineHeight: '1.55',
  headings: { fontFamily: 'inherit', fontWeight: '650' },
  code: { fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace', fontSize: '13px' },
};

export const light = {
  typography: {
    ...fonts,
    code: { ...fonts.code, color: '#1f4e8c', backgroundColor: '#eef2f7' },
    links: { color: '#1d5bb8', visited: '#1d5bb8' },
  },
  colors: { primary: { main: '#1d5bb8' }, text: { primary: '#1f2933', secondary: '#52606d' } },
  sidebar: { backgroundColor: '#f7f8fa', textColor: '#1f2933', activeTextColor: '#1d5bb8' },
  rightPanel: { backgroundColor: '#1f2733' },
};

export const dark = {
  typography: {
    ...fonts,
    code: { ...fonts.code, color: '#a5d0ff', backgroundColor: '#2a313c' },
    links: { color: '#8bb5f5', visited: '#8bb5f5', hover: '#a6c7f9' },
  },
  colors: {
    primary: { main: '#8bb5f5' },
    text: { primary: '#dfe4ea', secondary: '#a3adb8' },
    border: { dark: '#3b4450', light: '#2f3742' },
    responses: {
      success: { color: '#7ddc96', backgroundColor: '#1d3326', tabTextColor: '#7ddc96' },
      error: { color: '#ff9a9a', backgroundColor: '#3a2327', tabTextColor: '#ff9a9a' },
      redirect: { color: '#ffd479', backgroundColor: '#3a3220', tabTextColor: '#ffd479' },
      info: { color: '#8ecbff', backgroundColor: '#20303f', tabTextColor: '#8ecbff' },
    },
    http: { basic: '#a3adb8' },
  },
  schema: {
    nestedBackground: '#1d222a',
    linesColor: '#4a5563',
    typeNameColor: '#a3adb8',
    typeTitleColor: '#a3adb8',
    requireLabelColor: '#ff9a9a',
  },
  sidebar: { backgroundColor: '#15191f', textColor: '#dfe4ea', activeTextColor: '#8bb5f5' },
  rightPanel: { backgroundColor: '#11151a' },
  codeBlock: { backgroundColor: '#0c0f13' },
};
