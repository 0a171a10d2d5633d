import { PROBLEM_ADVICE } from '../problem-advice.js';
import type { Api } from './api.js';
import { STORY, UNASKED } from './examples.js';
import { findProblemKind, listCodes } from './problems.js';

/** Routes that a section lists at most. */
const MOST_LISTED = 8;

/**
 * Generates the page of all problems, with a section for each code.
 * @throws {Error} if a code has no explanation, or an explanation no code
 */
export function generateProblemsPage(api: Api): string {
  const codes = [...api.problems.keys()].toSorted();
  const missing = codes.filter((code) => !Object.hasOwn(PROBLEM_ADVICE, code));
  const stale = Object.keys(PROBLEM_ADVICE).filter((code) => !api.problems.has(code));
  if (missing.length > 0) throw new Error(`tools/docs/problem-advice.ts has no explanation of ${missing.join(', ')}`);
  if (stale.length > 0)
    throw new Error(`tools/docs/problem-advice.ts explains ${stale.join(', ')}: no problem has this code`);
  const rows = codes.map((code) => {
    const { status, title } = findProblemKind(api, code);
    return `| [\`${code}\`](#${code}) | ${status} | ${title} |`;
  });
  return [
    '# Problems',
    '',
    '<!-- made by npm run docs from the declared problems and tools/docs/problem-advice.ts -->',
    '',
    `Each refused request is answered with \`application/problem+json\` (RFC 9457), and its \`type\` is \`urn:${api.app}:problem:<code>\`. Decide by`,
    'the code: texts may change, and a release may add codes. `instance` names the one request, as the log does.',
    '',
    '| code | status | title |',
    '|---|---|---|',
    ...rows,
    '',
    ...codes.flatMap((code) => section(api, code)),
  ].join('\n');
}

function section(api: Api, code: string): readonly string[] {
  const { status, title } = findProblemKind(api, code);
  const { means, remedy } = PROBLEM_ADVICE[code] ?? { means: '', remedy: '' };
  const detail = findDetail(api, code);
  return [
    `## ${code}`,
    '',
    `\`${status}\` ${title}. ${means}`,
    '',
    `**Then:** ${remedy}`,
    '',
    ...(detail === undefined ? [] : [`Example of its detail: \`${detail}\``, '']),
    ...describeRoutes(api, code),
  ];
}

function findDetail(api: Api, code: string): string | undefined {
  const call = STORY.find(({ problem }) => problem === code);
  const answer = call && (api.answers?.[call.name] as { readonly detail?: string } | undefined);
  return UNASKED[code]?.detail ?? answer?.detail;
}

function describeRoutes(api: Api, code: string): readonly string[] {
  const routes = api.routes
    .filter((one) => listCodes(one).includes(code))
    .map(({ route }) => `\`${route.method} ${route.path}\``);
  if (routes.length === 0) return ['It is an answer of the gateway to any path.', ''];
  if (routes.length > MOST_LISTED) return [`${routes.length} of ${api.routes.length} routes answer with it.`, ''];
  return [`From ${routes.join(', ')}.`, ''];
}
