/** Result of one check of `npm run supply-chain`. */
export interface Check {
  /** `unknown`: the check was not done, which is not the same as "nothing found". */
  readonly verdict: 'clean' | 'refused' | 'unknown';
  readonly text: string;
}

/** Tells whether a check fails the command. In CI a check that was not done fails, too. */
export const isFailed = ({ verdict }: Check, isCi: boolean): boolean =>
  verdict === 'refused' || (verdict === 'unknown' && isCi);
