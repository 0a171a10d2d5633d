import { randomBytes, timingSafeEqual } from 'node:crypto';

/** Headers of a request, with names in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Decides whether a request comes from the page that this process has opened. The page's address has a random token; the
 * answer to it sets a cookie with the token, which the browser sends with the page's own requests only (`SameSite=Strict`)
 * and hides from scripts (`HttpOnly`).
 */
export class PageAccess {
  private readonly token = randomBytes(24).toString('base64url');

  /** @param port cookies know no ports, so the name of this one has it: two local clouds are open side by side */
  constructor(private readonly port: () => number) {}

  /** Returns the address to open. @param url address of the server, without a trailing slash */
  addressAt(url: string): string {
    return `${url}/?token=${this.token}`;
  }

  /** Says whether a request has the token: in its cookie, or in its address as a person opens it. */
  isGranted(headers: Headers, target = '/'): boolean {
    return this.isToken(this.cookieIn(headers)) || this.isToken(tokenIn(target));
  }

  /** Returns the header that lets the browser keep the token until it ends. */
  cookie(): string {
    return `${this.cookieName}=${this.token}; Path=/; HttpOnly; SameSite=Strict`;
  }

  private get cookieName(): string {
    return `orderly-console-${this.port()}`;
  }

  private cookieIn({ cookie }: Headers): string | undefined {
    const pairs = [cookie ?? ''].flat().join('; ').split('; ');
    return pairs.find((pair) => pair.startsWith(`${this.cookieName}=`))?.slice(this.cookieName.length + 1);
  }

  private isToken(given: string | undefined): boolean {
    const [one, other] = [Buffer.from(given ?? ''), Buffer.from(this.token)];
    return one.length === other.length && timingSafeEqual(one, other);
  }
}

const tokenIn = (target: string): string | undefined =>
  new URLSearchParams(target.split('?')[1] ?? '').get('token') ?? undefined;

/** Says whether a page of the server's own address has sent a request. Fetch Metadata: `Sec-Fetch-Site`. */
export function isFromOwnPage({ host, origin, 'sec-fetch-site': site }: Headers): boolean {
  return site === 'same-origin' || (origin !== undefined && origin === `http://${host}`);
}
