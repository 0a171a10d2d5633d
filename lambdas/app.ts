/** What Orderly is called wherever it meets other applications: on buses, in answers, and among an account's stacks and metrics. */
export const APP = { name: 'orderly' } as const;
