import type { CommandContext } from '../cli/context.js';
import type { Outcome } from '../cli/outcome.js';
import { findProblems } from './problems.js';
import type { MapFrames } from './read-failing.js';
import { readStatus } from './read-status.js';
import { type StatusSection, toStatusOutcome } from './report.js';

/** Reads what an application adds to the status. */
export type StatusSectionReader = (context: CommandContext) => Promise<StatusSection>;

/** `status`: whether an environment is healthy, and if not, what to do next. */
export async function showStatus(
  context: CommandContext,
  sections: readonly StatusSectionReader[],
  { all, mapFrames }: { readonly all: boolean; readonly mapFrames?: MapFrames },
): Promise<Outcome> {
  const [facts, ...own] = await Promise.all([readStatus(context, mapFrames), ...sections.map((read) => read(context))]);
  return toStatusOutcome(facts, findProblems(facts, context), { sections: own, all });
}
