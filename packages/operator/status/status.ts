import type { CommandContext } from '../cli/context.js';
import type { Outcome } from '../cli/outcome.js';
import { problemsIn } from './judge.js';
import { readStatus } from './read.js';
import { reportOf, type StatusSection } from './report.js';

/** Reads what an application adds to the status. */
export type ReadSection = (context: CommandContext) => Promise<StatusSection>;

/** `status`: whether an environment is healthy, and if not, what to do next. */
export async function showStatus(
  context: CommandContext,
  sections: readonly ReadSection[],
  { all }: { readonly all: boolean },
): Promise<Outcome> {
  const [facts, ...own] = await Promise.all([readStatus(context), ...sections.map((read) => read(context))]);
  return reportOf(facts, problemsIn(facts, context), { sections: own, all });
}
