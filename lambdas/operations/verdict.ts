/** State of an order, for people and for scripts. */
export interface Verdict {
  readonly state: 'complete' | 'pending' | 'failed';
  readonly text: string;
  /** Command to run next. */
  readonly next?: string;
}

export const failure = (text: string, next?: string): Verdict => ({
  state: 'failed',
  text: `failed: ${text}`,
  ...(next !== undefined && { next }),
});
