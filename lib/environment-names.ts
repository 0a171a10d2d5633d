/** Names of the environments. They stand apart from the settings, since those load the CDK, and a command line needs the names only. */
export const ENVIRONMENT_NAMES = ['dev', 'prod'] as const;

export type EnvironmentName = (typeof ENVIRONMENT_NAMES)[number];
