/** Names that the construct of the operator's API and its functions share. */
export const OperatorApiEnv = {
  /** Names of all stacks of the environment, as JSON. Their outputs say what is deployed. */
  STACKS: 'OPERATED_STACKS',
} as const;
