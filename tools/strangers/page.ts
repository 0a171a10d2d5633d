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

/** Number of apps in the sample of the review. */
const SAMPLE = 45;

/**
 * Renders the page of the apps. It has no code of theirs: only names of constructs, calls and messages.
 * @param minutes of the longest search
 */
export function renderStrangers(played: readonly PlayedStranger[], now: Date, minutes: number): string {
  const running = played.filter(starts);
  const stopped = played.filter((one) => !starts(one));
  const withFindings = running.filter(({ findings }) => findings.length > 0);
  const ofSample = (apps: readonly PlayedStranger[]): number => apps.filter(({ app }) => app.sample !== false).length;
  return `# Public apps in the simulator

<!-- made by npm run strangers -->

${played.length} public CDK apps were played on ${now.toISOString().slice(0, 10)}: ${running.length} start unmodified, and in ${withFindings.length} of them a single fault breaks a promise that nobody had to
write down ([search](search.md)). Each search plays single faults for ${minutes} minutes at most.

Of a sample of ${SAMPLE} public apps whose functions are for Node.js, ${ofSample(running)} start unmodified, and [${ofSample(stopped)} don't](#apps-that-dont-start).
${renderJudged(running)}

Their code isn't kept here. In Orderly's repository, \`npm run strangers -- prepare <clones> <folder>\` makes the assemblies of clones at these commits, and
\`npm run strangers -- <folder>\` makes this page of them.

| app | does | histories | findings |
|---|---|---|---|
${running.map(renderRow).join('\n')}

## Apps that don't start

| app | does | why not |
|---|---|---|
${stopped.map(renderStopped).join('\n')}

${running.map(renderApp).join('\n')}`;
}

/** Whether an app runs as it is: nothing stands in its way, and it answers as long as there is no fault. */
const starts = ({ obstacles, refusal }: PlayedStranger): boolean => obstacles.length === 0 && refusal === undefined;

/** Counts what somebody has said of the findings with faults. */
function renderJudged(running: readonly PlayedStranger[]): string {
  const verdicts = running.flatMap(({ app, findings }) =>
    findings.filter(({ kind }) => kind !== 'none').map((finding) => findVerdict(app, finding)),
  );
  const confirmed = verdicts.filter((verdict) => verdict?.startsWith('true')).length;
  const unknown = verdicts.filter((verdict) => verdict === undefined).length;
  const share = verdicts.length === 0 ? 0 : Math.floor((100 * confirmed) / verdicts.length);
  return `Of ${verdicts.length} findings with faults, ${confirmed} (${share} %) are confirmed by the app's code and AWS's documents, ${verdicts.length - confirmed - unknown} are not confirmed, and ${unknown} are not judged.`;
}

const findVerdict = ({ verdicts = {} }: StrangersApp, { kind, construct }: Finding): string | undefined =>
  verdicts[`${kind} at ${construct}`] ?? verdicts[kind];

const renderName = ({ name, source, commit, licence }: StrangersApp): string =>
  `[${name}](${source}) at \`${commit.slice(0, 7)}\`, ${licence}`;

const renderRow = ({ app, findings, histories }: PlayedStranger): string =>
  `| ${renderName(app)} | ${app.does} | ${histories} | ${findings.length} |`;

function renderStopped({ app, obstacles, refusal }: PlayedStranger): string {
  const [first = refusal ?? '', ...others] = obstacles;
  const found = `${first}${others.length === 0 ? '' : `, and ${others.length} more`}`;
  return `| ${renderName(app)} | ${app.does} | ${escapeCell(app.why === undefined ? found : `${app.why} (${found})`)} |`;
}

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ').slice(0, 300);

function renderApp({ app, findings, histories }: PlayedStranger): string {
  if (findings.length === 0)
    return `## ${app.name}\n\n${histories === 0 ? 'It has no point at which a fault may happen.' : `Nothing was found in ${histories} histories.`}\n`;
  const rows = findings.map(
    ({ promise, kind, construct, count }) => `| ${promise} | ${kind} | ${construct} | ${count} |`,
  );
  // A repetition without faults has no history of its own.
  const played = findings.filter(({ shortest: { lines } }) => lines.length > 0);
  const [shortest = findings[0]] = played.sort((one, other) => one.shortest.lines.length - other.shortest.lines.length);
  return `## ${app.name}

| broken promise | fault | at | histories |
|---|---|---|---|
${rows.join('\n')}

${renderVerdicts(app, findings)}

The shortest history: ${shortest?.shortest.cause ?? ''}

${(shortest?.shortest.lines ?? [])
  .slice(0, MAX_LINES)
  .map((line) => `    ${line.slice(0, 160)}`)
  .join('\n')}
`;
}

/** Renders what is known of a kind of fault, at a construct of its own where that has a verdict of its own. */
function renderVerdicts(app: StrangersApp, findings: readonly Finding[]): string {
  const lines = findings.map((finding) => {
    const { kind, construct } = finding;
    const own = app.verdicts?.[`${kind} at ${construct}`] === undefined ? '' : ` at ${construct}`;
    const source = Object.hasOwn(KINDS, kind)
      ? KINDS[kind as keyof typeof KINDS].source
      : 'AWS Well-Architected Framework, "Make mutating operations idempotent"';
    return `- \`${kind}\`${own}: ${findVerdict(app, finding) ?? 'not judged'} (${source})`;
  });
  return [...new Set(lines)].join('\n');
}
