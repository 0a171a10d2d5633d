import { appTitle } from '../aws/app-names.js';
import type { EnvironmentSettings } from './settings.js';

/** Returns the namespace of an environment's metrics. It separates two environments in one account. */
export const metricsNamespace = ({ app, environment }: EnvironmentSettings): string =>
  `${appTitle(app.name)}/${environment}`;
