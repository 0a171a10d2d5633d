/** Finding of a checker of templates: a rule that a resource does not follow. */
export interface Finding {
  readonly tool: Tool;
  readonly rule: string;
  /** Type of the resource, or of the whole template: `AWS::SQS::Queue`, `template`. */
  readonly type: string;
  readonly environment: string;
  /** Template and logical id, and what is wrong. */
  readonly text: string;
}

export type Tool = 'cfn-lint' | 'checkov';

/** A rule that resources of some types need not follow, with the reason. */
export interface Accepted {
  readonly tool: Tool;
  readonly rule: string;
  /** Resource types. Another type that does not follow the rule is a new finding. */
  readonly types: readonly string[];
  /** Environment in which the rule is not followed. It is a new finding in another. @default all of them */
  readonly environment?: string;
  /** Whether it depends on values that each clone makes, so that it may be absent. @default false */
  readonly mayBeAbsent?: boolean;
  readonly reason: string;
}

/** Resources of a template by their logical ids. */
export type Templates = (file: string) => Readonly<Record<string, { readonly Type: string }>>;

interface LintMatch {
  readonly Filename: string;
  readonly Message: string;
  readonly Rule: { readonly Id: string };
  readonly Location: { readonly Path: readonly (string | number)[] | null };
}

interface Scan {
  readonly results: {
    readonly failed_checks: readonly {
      readonly check_id: string;
      readonly check_name: string;
      readonly resource: string;
      readonly file_path: string;
    }[];
  };
  readonly summary: { readonly parsing_errors: number; readonly resource_count: number };
}

/** Reads the output of `cfn-lint --format json`. */
export const readLint = (output: string, resourcesOf: Templates): readonly Finding[] =>
  (JSON.parse(output) as readonly LintMatch[]).map(({ Filename, Message, Rule, Location: { Path } }) => {
    const [section, id] = Path ?? [];
    const type = section === 'Resources' ? resourcesOf(Filename)[String(id)]?.Type : undefined;
    return {
      tool: 'cfn-lint',
      rule: Rule.Id,
      type: type ?? 'template',
      environment: environmentOf(Filename),
      text: `${nameOf(Filename)} ${(Path ?? []).join('/')}: ${Message}`,
    };
  });

/**
 * Reads the output of `checkov -o json`.
 * @throws {Error} if it could not read a template, since nothing was checked there
 */
export function readScan(output: string): readonly Finding[] {
  const [scan] = [JSON.parse(output) as Scan | readonly Scan[]].flat() as readonly Scan[];
  if (!scan?.results || scan.summary.resource_count === 0) throw new Error('checkov found no template');
  const unread = scan.summary.parsing_errors;
  if (unread > 0) throw new Error(`checkov could not read ${unread} templates: run it alone to see which`);
  return scan.results.failed_checks.map(({ check_id, check_name, resource, file_path }) => ({
    tool: 'checkov',
    rule: check_id,
    type: resource.slice(0, resource.lastIndexOf('.')) || 'template',
    environment: environmentOf(file_path),
    text: `${nameOf(file_path)} ${resource}: ${check_name}`,
  }));
}

const nameOf = (path: string): string => path.split('/').at(-1) ?? path;

/** Files of templates begin with the id of their environment's construct: `prodOrders17E64B4A.template.json`. */
const environmentOf = (path: string): string => /^[a-z]+/.exec(nameOf(path))?.[0] ?? '';

const isOf = ({ tool, rule, types, environment }: Accepted, finding: Finding): boolean =>
  tool === finding.tool &&
  rule === finding.rule &&
  types.includes(finding.type) &&
  (environment ?? finding.environment) === finding.environment;

/** Finds what nobody accepted, and what was accepted and occurs no more: an old acceptance would hide the next finding. */
export function judgeFindings(
  findings: readonly Finding[],
  accepted: readonly Accepted[],
): { readonly fresh: readonly string[]; readonly stale: readonly string[] } {
  const fresh = findings
    .filter((finding) => !accepted.some((one) => isOf(one, finding)))
    .map(({ tool, rule, text }) => `${tool} ${rule} ${text}`);
  const expected = accepted.filter(({ mayBeAbsent }) => !mayBeAbsent);
  const stale = expected.flatMap((one) =>
    one.types
      .filter((type) => !findings.some((finding) => isOf({ ...one, types: [type] }, finding)))
      .map((type) => `${one.tool} ${one.rule} on ${type} is accepted and occurs no more: remove it from ${ACCEPTED}`),
  );
  return { fresh, stale };
}

/** File with the accepted findings. */
export const ACCEPTED = 'tools/release/template-checks/accepted.json';
