import type { Construct } from 'constructs';
import type { EnvironmentSettings } from './settings.js';

const CONTEXT = 'kit:runbook';

/** Lets the alarms below a construct name the app's runbook. It must come before the construct's first child. */
export function setRunbook(scope: Construct, { app }: Pick<EnvironmentSettings, 'app'>): void {
  if (app.runbook !== undefined) scope.node.setContext(CONTEXT, app.runbook);
}

/** Returns the sentence that says what to do, or nothing if the app has no runbook. @param heading of the runbook */
export function whatToDo(scope: Construct, heading: string): string {
  const page: unknown = scope.node.tryGetContext(CONTEXT);
  return page === undefined ? '' : ` What to do: ${String(page)}, "${heading}".`;
}
