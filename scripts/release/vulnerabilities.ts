// The vulnerabilities that npm knows, and their explanations in docs/vulnerabilities.md.
import { type Finding, problem, type Result, unknown, warning } from './finding.ts';
import { npm, readText } from './project.ts';

const page = 'docs/vulnerabilities.md';

/** An explanation is reviewed again after this time. */
const daysValid = 180;

type Advisory = { readonly name: string; readonly title: string; readonly url: string };
type Report = {
  readonly auditReportVersion?: number;
  readonly message?: string;
  readonly vulnerabilities?: Record<string, { readonly via: readonly (string | Advisory)[] }>;
};
type Explanation = {
  readonly name: string;
  readonly id: string;
  readonly date: string;
  readonly reason: string;
};

/** Also checks the packages that only build and test, because they run on machines with secrets. */
export async function checkVulnerabilities(root: string, today: Date): Promise<Result> {
  const { stdout, stderr } = await npm(root, 'audit', '--json');
  const report = parseReport(stdout);
  const text = readText(root, page);
  const name = 'vulnerabilities';
  if (text === undefined) {
    return { name, about: 'npm audit', findings: [problem(`${page} is missing. Restore it`)] };
  }
  const { explanations, findings } = readExplanations(text);
  if (report.auditReportVersion !== 2 || report.vulnerabilities === undefined) {
    const reason = report.message ?? /^npm error (.+)/m.exec(stderr)?.[1] ?? 'no answer';
    const what = `npm audit got no answer from the registry (${reason}). `;
    const todo = unknown(`${what}Run it where registry.npmjs.org answers`);
    return { name, about: 'not checked', findings: [...findings, todo] };
  }
  const advisories = Object.values(report.vulnerabilities).flatMap(({ via }) =>
    via.filter((one) => typeof one !== 'string'),
  );
  findings.push(...judgeAdvisories(advisories, explanations, today));
  return { name, about: `${advisories.length} in the answer of npm audit`, findings };
}

function parseReport(text: string): Report {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Reads the rows of the table: package, advisory, date, reason. */
function readExplanations(text: string): { explanations: Explanation[]; findings: Finding[] } {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  const explanations = rows.slice(2).map((row): Explanation => {
    const [, name = '', id = '', date = '', reason = ''] = row.split('|').map((one) => one.trim());
    return { name, id, date, reason };
  });
  const findings = explanations
    .filter(({ id, date, reason }) => {
      const isDate = /^\d{4}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(Date.parse(date));
      return !/^GHSA-[\w-]+$/.test(id) || !isDate || reason === '';
    })
    .map(({ name }) => problem(`${page}: the row of ${name} needs an id, a date and a reason`));
  return { explanations, findings };
}

function judgeAdvisories(
  advisories: readonly Advisory[],
  explanations: readonly Explanation[],
  today: Date,
): Finding[] {
  const isAbout = ({ name, url }: Advisory, explanation: Explanation) =>
    name === explanation.name && url.endsWith(`/${explanation.id}`);
  const unexplained = advisories
    .filter((one) => !explanations.some((explanation) => isAbout(one, explanation)))
    .map(({ name, title, url }) =>
      problem(`${name}: ${title} (${url}). Update it, or explain it in ${page}`),
    );
  const outdated = explanations.flatMap((explanation) => {
    const which = `${page}: ${explanation.name}, ${explanation.id}`;
    if (!advisories.some((one) => isAbout(one, explanation))) {
      return [warning(`${which} is no longer reported. Remove the row`)];
    }
    const days = (today.getTime() - Date.parse(explanation.date)) / 86_400_000;
    if (!(days > daysValid)) return [];
    return [warning(`${which} was explained ${Math.floor(days)} days ago. Review it`)];
  });
  return [...unexplained, ...outdated];
}
