import { type Finding, KINDS } from '../../packages/simulator/index.js';
import type { StrangersApp } from './stranger.js';

/** Result of playing an app. */
export interface PlayedStranger {
  readonly app: StrangersApp;
  /** Obstacles that kept it from starting; none if it runs unmodified. */
  readonly obstacles: readonly string[];
  readonly histories: number;
  readonly findings: readonly Finding[];
  /** Why no search began although nothing stood in the way. */
  readonly refusal?: string;
}

/** Lines of a history on the page. */
const MAX_LINES = 14;

/**
 * Renders the page of the apps. It has no code of theirs: only names of constructs, calls and messages.
 * @param minutes of the longest search
 */
export function renderStrangers(played: readonly PlayedStranger[], now: Date, minutes: number): string {
  const running = played.filter(({ obstacles }) => obstacles.length === 0);
  const withFindings = running.filter(({ findings }) => findings.length > 0);
  return `# Public apps in the simulator

<!-- made by npm run strangers -->

${played.length} public CDK apps were played on ${now.toISOString().slice(0, 10)}: ${running.length} start unmodified, and in ${withFindings.length} of them a single fault breaks a promise that nobody had to
write down ([search](search.md)). Each search plays single faults for ${minutes} minutes at most. Their code isn't kept here. \`npm run strangers -- <folder>\` in Orderly's repository makes this page of a folder of assemblies.

| app | does | starts | histories | findings |
|---|---|---|---|---|
${played.map(renderRow).join('\n')}

${running.map(renderApp).join('\n')}`;
}

const renderRow = ({ app, obstacles, histories, findings, refusal }: PlayedStranger): string =>
  `| [${app.name}](${app.source}) at \`${app.commit.slice(0, 7)}\`, ${app.licence} | ${app.does} | ${
    obstacles.length === 0
      ? refusal === undefined
        ? 'unmodified'
        : `unmodified; ${escapeCell(refusal)}`
      : `no: ${escapeCell(obstacles.join('; '))}`
  } | ${histories} | ${findings.length} |`;

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ').slice(0, 300);

function renderApp({ app, findings, histories }: PlayedStranger): string {
  if (findings.length === 0) return `## ${app.name}\n\nNothing was found in ${histories} histories.\n`;
  const rows = findings.map(
    ({ promise, kind, construct, count }) => `| ${promise} | ${kind} | ${construct} | ${count} |`,
  );
  const [shortest] = [...findings].sort((one, other) => one.shortest.lines.length - other.shortest.lines.length);
  return `## ${app.name}

| broken promise | fault | at | histories |
|---|---|---|---|
${rows.join('\n')}

${[...new Set(findings.map(({ kind }) => kind))].map((kind) => renderVerdict(app, kind)).join('\n')}

The shortest history: ${shortest?.shortest.cause ?? ''}

${(shortest?.shortest.lines ?? [])
  .slice(0, MAX_LINES)
  .map((line) => `    ${line.slice(0, 160)}`)
  .join('\n')}
`;
}

function renderVerdict({ verdicts = {} }: StrangersApp, kind: string): string {
  const known = verdicts[kind as keyof typeof verdicts];
  const source = Object.hasOwn(KINDS, kind) ? KINDS[kind as keyof typeof KINDS].source : 'any client repeats a request';
  return `- \`${kind}\`: ${known ?? 'not judged'} (${source})`;
}
