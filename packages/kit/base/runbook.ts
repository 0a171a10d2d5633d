import type { Construct } from 'constructs';
import { runbookPage } from '../aws/app-names.js';
import type { EnvironmentSettings } from './settings.js';

const CONTEXT = 'kit:runbook';

/** Lets the alarms below a construct name the app's runbook. It must come before the construct's first child. */
export function setRunbook(scope: Construct, { app }: Pick<EnvironmentSettings, 'app'>): void {
  if (app.runbook !== undefined) scope.node.setContext(CONTEXT, app.runbook);
}

/** Returns the sentence that says what to do, or nothing if the app has no runbook. @param heading an alarm's name */
export function runbookHint(scope: Construct, heading: string): string {
  const page: unknown = scope.node.tryGetContext(CONTEXT);
  return page === undefined ? '' : ` What to do: ${runbookPage(String(page), heading)}.`;
}
