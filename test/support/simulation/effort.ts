/** Whether `npm test -- --quick` runs. Then searches play a part of their histories, the same part each time. */
export const QUICK = process.env.ORDERLY_QUICK === '1';

/** Returns the number of histories that a search plays. */
export const effort = ({ whole, quick }: { readonly whole: number; readonly quick: number }): number =>
  QUICK ? quick : whole;
