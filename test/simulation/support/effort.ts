/** Whether `npm test -- --quick` asked: searches play a part of their histories, the same one each time. */
export const QUICK = process.env.ORDERLY_QUICK === '1';

/** How many of something a search plays. */
export const effort = ({ whole, quick }: { readonly whole: number; readonly quick: number }): number =>
  QUICK ? quick : whole;
