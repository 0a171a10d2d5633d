import type { CommandContext } from '../cli/context.js';
import type { Outcome } from '../cli/outcome.js';
import { findProblems } from './problems.js';
import { readStatus } from './read-status.js';
import { type StatusSection, toStatusOutcome } from './report.js';

/** Reads what an application adds to the status. */
export type StatusSectionReader = (context: CommandContext) => Promise<StatusSection>;

/** `status`: whether an environment is healthy, and if not, what to do next. */
export async function showStatus(
  context: CommandContext,
  sections: readonly StatusSectionReader[],
  { all }: { readonly all: boolean },
): Promise<Outcome> {
  const [facts, ...own] = await Promise.all([readStatus(context), ...sections.map((read) => read(context))]);
  return toStatusOutcome(facts, findProblems(facts, context), { sections: own, all });
}
