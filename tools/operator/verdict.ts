/** Where an order stands, for people and for scripts. */
export interface Verdict {
  readonly state: 'complete' | 'pending' | 'failed';
  readonly text: string;
  /** The command to go on with. */
  readonly next?: string;
}

export const failure = (text: string, next?: string): Verdict => ({
  state: 'failed',
  text: `failed: ${text}`,
  ...(next !== undefined && { next }),
});
