/** Minutes for which a tenth of the calls goes to a new release, in CodeDeploy's predefined configurations. */
export const CANARY_MINUTES = [5, 10, 15, 30] as const;

/** Progressive deployment: how long the new release of a function receives a tenth of its calls before it receives all. */
export interface CanarySettings {
  readonly minutes: (typeof CANARY_MINUTES)[number];
}
