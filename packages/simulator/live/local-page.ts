import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import {
  type AppList,
  Commands,
  type ConsoleFacts,
  isFromOwnPage,
  type OperatorCommands,
  PAGE_PATHS,
  PageAccess,
  type PlayedToy,
  type Refusal,
  type Toy,
} from '@orderly/console';
import type { Cloud } from '../cloud/cloud.js';
import type { HistoriesModule } from '../histories/app-histories.js';
import type { HttpResponse } from '../runtime/http.js';
import { DOCS } from './docs.js';
import type { LiveCloud } from './live-cloud.js';
import { answerPage } from './page-answers.js';
import type { AppTimer } from './page-forecast.js';
import { PageHistories } from './page-histories.js';
import type { PageCaller, PageDocuments } from './page-reference.js';
import { CONSOLE } from './path.js';
import { Proof } from './proof.js';

/** An app's facts for the page, and what the app lends it. */
export interface PageOptions {
  /** Name of the app. @default names of its stacks */
  readonly name?: string;
  /** Name of its environment. @default `local` */
  readonly environment?: string;
  /** One sentence that says what it promises, for the page's first view. @default the page promises nothing */
  readonly promise?: string;
  /** Access to the operator's API of the app. @default the page shows what the local cloud knows by itself */
  readonly operator?: {
    /** Stage of the API that has `GET /operations/...`. */
    readonly stage: string;
    /** Makes a token of an operator. @param ahead milliseconds that the cloud's clock is ahead of the machine's */
    readonly token: (ahead: number) => string;
  };
  /** People in whose names the page may send requests to the app's APIs. @default it sends requests without a token only */
  readonly callers?: readonly PageCaller[];
  /** Documents of its API and its events. @default the page knows what is deployed only */
  readonly documents?: PageDocuments;
  /** Timers of the app, which lie in its tables. @default a forecast has what the account plans by itself */
  readonly timers?: (cloud: Cloud) => readonly AppTimer[];
  /** Command line of the app's operators. @param url address of the local cloud. @default the page runs no commands */
  readonly commands?: (url: string) => OperatorCommands;
  /** Lists that the app has for its operators. @default none */
  readonly lists?: readonly AppList[];
  /** Things to try that the app offers, such as an order with a declined card. @default nothing */
  readonly toys?: readonly PlayableToy[];
  /** Module that exports the histories that the page may play (`AppHistories`). @default the page plays none */
  readonly histories?: HistoriesModule;
}

/** Something to try, and how it is done. */
export interface PlayableToy extends Toy {
  /** @param where address of the local cloud, and milliseconds that its clock is ahead of the machine's */
  readonly play: (where: { readonly url: string; readonly ahead: number }) => Promise<PlayedToy>;
}

interface Asked {
  readonly method: string;
  /** Path with its query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body?: string;
}

/** The page of a local cloud: its files, and its data at `/_console/...`. All but the files needs the token of its address. */
export class LocalPage {
  private readonly access: PageAccess;
  private commands: Commands | undefined;
  private readonly proof: Proof;
  private readonly histories: PageHistories;
  /** The operator's newest token, and when it was made by the cloud's clock. */
  private token: { readonly text: string; readonly madeAt: number } | undefined;

  constructor(
    private readonly live: LiveCloud,
    private readonly options: PageOptions,
    private readonly port: () => number,
  ) {
    this.access = new PageAccess(port, NO_TOKEN);
    this.histories = new PageHistories(options.histories);
    const { operator } = options;
    this.proof = new Proof({
      happenings: live.happenings,
      ask: operator && ((path) => this.askOperator(path)),
      unknown: NO_OPERATIONS,
      now: () => live.now,
    });
  }

  /** Address to open, with its token. */
  addressAt(url: string): string {
    return this.access.addressAt(url);
  }

  /**
   * Says why a request is refused. Command lines and SDKs, which are no pages, need no token.
   * @param hosts further names of this machine
   */
  findRefusal({ target, headers }: Asked, hosts?: readonly string[]): Refusal | undefined {
    const [path = ''] = target.split('?');
    const isOpen = path === '/' || path.startsWith(`${DOCS}/`) || PAGE_PATHS.some((one) => one === path);
    const needsToken = !isOpen && (path.startsWith(`${CONSOLE}/`) || isFromOwnPage(headers));
    return this.access.findRefusal(headers, { hosts, needsToken });
  }

  /** Says whether a request is for the page: a browser opens `/`, and the rest has a path of its own. */
  serves({ method, target, headers }: Asked): boolean {
    const [path = ''] = target.split('?');
    if (path.startsWith(`${CONSOLE}/`)) return true;
    return path === '/' && method === 'GET' && headers.accept?.includes('text/html') === true;
  }

  /** Says whether the answer to a request for the page comes line by line: `stream` writes it. */
  streams(method: string, target: string): boolean {
    return this.histories.streams(method, target);
  }

  /** Answers such a request, until the answer ends or nobody reads it. It must not be refused. */
  stream(body: string, response: ServerResponse): void {
    void this.histories.play(body, response);
  }

  /** Ends what runs for the page. */
  stop(): void {
    this.histories.stop();
  }

  /** Answers a request that is for the page, and that is not refused. */
  async answer(asked: Asked): Promise<HttpResponse> {
    const { method, target, headers, body = '' } = asked;
    const [path = ''] = target.split('?');
    const file = method === 'GET' ? await this.access.answerFile(target, headers) : undefined;
    if (file) return file;
    if (path === `${CONSOLE}/facts`) return json(200, this.facts());
    const toy = method === 'POST' && this.options.toys?.find(({ id }) => path === `${CONSOLE}/toys/${id}`);
    if (toy) return this.play(toy);
    if (path === `${CONSOLE}/counts`) return json(200, this.proof.counts());
    if (path.startsWith(`${CONSOLE}/counted/`)) return this.counted(path.slice(`${CONSOLE}/counted/`.length));
    if (path.startsWith(`${CONSOLE}/operations/`) && method === 'GET') return this.operations(target);
    const ran = await this.findCommands()?.answer({ method, target: target.slice(CONSOLE.length), body });
    if (ran) return json(ran.status, ran.body);
    const histories = await this.histories.answer(asked);
    if (histories) return histories;
    const answer = await answerPage(this.live, this.options, asked);
    if (answer) return answer;
    return json(404, { message: `${method} ${path}: the page has no such path` });
  }

  private findCommands(): Commands | undefined {
    const { commands } = this.options;
    this.commands ??= commands && new Commands(commands(`http://127.0.0.1:${this.port()}`));
    return this.commands;
  }

  private facts(): ConsoleFacts {
    const { name, environment = 'local', operator, toys = [], promise } = this.options;
    const stacks = new Set(this.live.cloud.deployment.assembly.resources.map(({ stack }) => stack));
    return {
      name: name ?? [...stacks].join(', '),
      environment,
      local: true,
      ...(operator === undefined && { noOperations: NO_OPERATIONS }),
      ...(promise !== undefined && { promise }),
      toys: toys.map(({ id, label, about }) => ({ id, label, about })),
      lists: this.options.lists ?? [],
      runsCommands: this.options.commands !== undefined,
    };
  }

  private async play({ play }: PlayableToy): Promise<HttpResponse> {
    const url = `http://127.0.0.1:${this.port()}`;
    try {
      return json(200, await play({ url, ahead: this.live.now - Date.now() }));
    } catch (error) {
      // A fault that somebody has asked for may have met it.
      return json(502, { message: (error as Error).message });
    }
  }

  private counted(name: string): HttpResponse {
    const list = this.proof.list(name);
    return list ? json(200, list) : json(404, { message: `'${name}' is no number of the page` });
  }

  /** @throws {Error} with what the API says, for any other answer than a success */
  private async askOperator(path: string): Promise<unknown> {
    const { status, body } = await this.operations(`${CONSOLE}${path}`);
    const answer: { detail?: string; message?: string } = JSON.parse(String(body));
    if (status === 200) return answer;
    throw new Error(answer.detail ?? answer.message ?? `status ${status}`);
  }

  /** Asks the app's own API, as an operator. */
  private async operations(target: string): Promise<HttpResponse> {
    const { operator } = this.options;
    const number = this.live.cloud.apis.findIndex(({ stage }) => stage === operator?.stage);
    if (!operator || number < 0) return json(404, { message: NO_OPERATIONS });
    const headers = { authorization: `Bearer ${this.operatorToken(operator)}`, accept: 'application/json' };
    return this.live.request({ method: 'GET', path: target.slice(CONSOLE.length), headers }, number);
  }

  /** Makes a token once in a while: a gateway remembers what it knows of one. */
  private operatorToken({ token }: NonNullable<PageOptions['operator']>): string {
    const { now } = this.live;
    if (!this.token || Math.abs(now - this.token.madeAt) > RENEWED)
      this.token = { text: token(now - Date.now()), madeAt: now };
    return this.token.text;
  }
}

/** Milliseconds for which a token is used. */
const RENEWED = 600_000;
const NO_TOKEN = 'Open the address that the local cloud printed when it started: it has a token.';
const NO_OPERATIONS =
  "This app lends its page no operator's API (GET /operations/...): the page shows what the local cloud knows by itself.";

const json = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: `${JSON.stringify(body)}\n`,
});
