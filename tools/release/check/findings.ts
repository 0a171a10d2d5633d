/** Kinds of what AWS would refuse or lose. */
export type FindingKind =
  /** An export that another stack imports goes, or its value changes. */
  | 'export-in-use'
  /** A resource with data is replaced, or may be. */
  | 'data-replaced'
  /** A resource with data is deleted, or leaves its stack. */
  | 'data-removed'
  /** The policy of a queue is deleted after another one has set it, so the queue has none. */
  | 'policy-cleared'
  /** A table gets or loses more than one index. */
  | 'second-index'
  /** A name exists already, of something that outlived its stack or is another stack's. */
  | 'name-exists'
  /** A template is above a quota. */
  | 'limit'
  /** Nothing says what a changed property does to its resource. */
  | 'unknown-replacement'
  /** A piece of work, or one of its effects, is missing after old and new stacks have worked beside each other. */
  | 'work-lost'
  /** A piece of work had one of its effects twice. */
  | 'work-twice'
  /** A piece of work does not end. */
  | 'work-stuck'
  /** A set of old and new stacks showed nothing: no message was on its way. */
  | 'unknown-set'
  /** Anything else that CloudFormation refuses. */
  | 'refused';

export interface Finding {
  readonly kind: FindingKind;
  readonly environment: string;
  /** Label of the resource (`Orders/Table`), or the name of the stack. */
  readonly where: string;
  readonly what: string;
  /** Remedy: a line of code if there is one. */
  readonly mend: string;
}

/** An exception that was chosen. */
export interface Allowed {
  readonly kind: FindingKind;
  readonly environments: readonly string[];
  readonly where: string;
  readonly reason: string;
}

/** Findings that nothing allows, and what the list of exceptions has too much. */
export interface Verdict {
  readonly red: readonly Finding[];
  readonly allowed: readonly (Finding & { readonly reason: string })[];
  /** Exceptions that no finding needs any more, one line each. */
  readonly unused: readonly string[];
}

/** Compares findings with the exceptions. @param environments that were looked at */
export function judge(
  findings: readonly Finding[],
  exceptions: readonly Allowed[],
  environments: readonly string[],
): Verdict {
  const allows = (one: Allowed, { kind, environment, where }: Finding): boolean =>
    one.kind === kind && one.where === where && one.environments.includes(environment);
  const red = findings.filter((finding) => !exceptions.some((one) => allows(one, finding)));
  const allowed = findings.flatMap((finding) => {
    const one = exceptions.find((exception) => allows(exception, finding));
    return one ? [{ ...finding, reason: one.reason }] : [];
  });
  const unused = exceptions.flatMap((one) =>
    one.environments
      .filter((environment) => environments.includes(environment))
      .filter((environment) => !findings.some((finding) => finding.environment === environment && allows(one, finding)))
      .map((environment) => `${one.kind} of ${one.where} in ${environment}`),
  );
  return { red, allowed, unused };
}

/** Adds findings that are not there yet. The first of a kind and place is kept. */
export class Findings {
  private readonly found = new Map<string, Finding>();

  add(finding: Finding): void {
    const key = [finding.kind, finding.environment, finding.where].join(' ');
    if (!this.found.has(key)) this.found.set(key, finding);
  }

  get all(): readonly Finding[] {
    return [...this.found.values()];
  }
}
