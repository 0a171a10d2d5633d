import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type PageFile, readPageFiles, refusedPage } from './files.js';

/** Headers of a request, with names in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reason why a request gets no answer. */
export interface Refusal {
  /** Cause: the host is no name of this machine, another page has sent it, or the token is missing. */
  readonly cause: 'host' | 'page' | 'token';
  readonly message: string;
}

/** Conditions under which a request is answered. */
interface Conditions {
  /** Names of this machine, beside `localhost`, 127.0.0.1 and [::1]. Their subdomains are names of it, too. @default none */
  readonly hosts?: readonly string[] | undefined;
  readonly needsToken: boolean;
}

/**
 * Decides which requests get an answer: by host, origin and token. It is the only module that does, for a local cloud and for
 * `orderly console`. It knows whether a request comes from the page that this process has opened. The page's address has a random token; the
 * answer to it sets a cookie with the token, which the browser sends with the page's own requests only (`SameSite=Strict`)
 * and hides from scripts (`HttpOnly`).
 */
export class PageAccess {
  private readonly token = randomBytes(24).toString('base64url');

  /**
   * @param port cookies know no ports, so the name of this one has it: two local clouds are open side by side
   * @param how tells somebody without a token how to get one
   */
  constructor(
    private readonly port: () => number,
    private readonly how: string,
  ) {}

  /**
   * Says why a request must not be answered. Whoever sends some to a local cloud can do anything in its account.
   * @returns `undefined` if it may be answered
   */
  findRefusal(headers: Headers, { hosts = [], needsToken }: Conditions): Refusal | undefined {
    const isGranted = this.isGranted(headers);
    const foreign = findForeign(headers, hosts, isFromOwnPage(headers) && isGranted);
    return foreign ?? (needsToken && !isGranted ? { cause: 'token', message: this.how } : undefined);
  }

  /**
   * Returns a file of the page; `/` for its token only, with the cookie.
   * @param target path with its query
   * @returns `undefined` if the page has no such file
   */
  async answerFile(target: string, headers: Headers): Promise<(PageFile & { readonly status: number }) | undefined> {
    const [path = ''] = target.split('?');
    if (path === '/' && !this.isGranted(headers, target)) return { status: 401, ...refusedPage(this.how) };
    const file = (await readPageFiles())[path];
    const cookie = path === '/' && { 'set-cookie': this.cookie() };
    return file && { status: 200, headers: { ...file.headers, ...cookie }, body: file.body };
  }

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

/** Names of this machine. Any page may resolve a name of its own to it (DNS rebinding), but none of these. */
const THIS_MACHINE = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** Header that a browser sends for an address that somebody typed, and for pages of the address itself. */
const NO_OTHER_PAGE = ['none', 'same-origin'];

/**
 * Says why a request is foreign: a page in a browser sent it, or may have. A page can send many requests without being asked
 * (Fetch standard, "CORS-safelisted request"). SDKs and command lines send neither `Origin` nor `Sec-Fetch-Site`.
 * @param hosts names of this machine, beside `localhost`, 127.0.0.1 and [::1]
 * @param isOwnPage whether the server's own page has sent it, with its token
 * @returns `undefined` if it is not
 */
export function findForeign(headers: Headers, hosts: readonly string[] = [], isOwnPage = false): Refusal | undefined {
  const { host, origin, 'sec-fetch-site': site } = headers;
  if (host !== undefined && !isThisMachine(String(host), hosts))
    return { cause: 'host', message: `the host '${host}' is no name of this machine: ask 127.0.0.1 or localhost` };
  if (origin !== undefined && !isOwnPage)
    return { cause: 'page', message: `not from a page in a browser: the request has an Origin (${origin})` };
  if (site !== undefined && !NO_OTHER_PAGE.includes(String(site)))
    return { cause: 'page', message: `not from a page in a browser: the request has Sec-Fetch-Site: ${site}` };
  return undefined;
}

const hostName = (host: string): string => host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();

function isThisMachine(host: string, names: readonly string[]): boolean {
  const name = hostName(host);
  return THIS_MACHINE.test(name) || names.map(hostName).some((own) => name === own || name.endsWith(`.${own}`));
}

/** Says whether a page of the server's own address has sent a request. Fetch Metadata: `Sec-Fetch-Site`. */
export function isFromOwnPage({ host, origin, 'sec-fetch-site': site }: Headers): boolean {
  return site === 'same-origin' || (origin !== undefined && origin === `http://${host}`);
}
