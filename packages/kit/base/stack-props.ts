import { appTitle } from '../aws/app-names.js';
import { isProtected } from './retention.js';
import { checkApp, type EnvironmentSettings } from './settings.js';

/**
 * Returns name and protection of a stack of an environment: `shop-dev-Orders`.
 * @example
 * const stack = new Stack(app, 'Board', stackProps(settings, 'Board', 'service board'));
 * @throws {SettingsError} for a malformed name of the application
 */
export function stackProps(settings: EnvironmentSettings, id: string, description: string) {
  checkApp(settings);
  const { app, environment } = settings;
  return {
    stackName: `${app.name}-${environment}-${id}`,
    description: `${appTitle(app.name)} (${environment}): ${description}`,
    terminationProtection: isProtected(settings),
  };
}
