/** A question of the page that can't be answered: what is wrong with it. */
export class PageRefused extends Error {
  override readonly name = 'PageRefused';

  /** @param status of HTTP */
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}
