import type { AppList } from './lists.js';

/** Data that a server of the page answers with. The page imports these types, and so does the server. */

/** Answer to `GET /_console/facts`: what the page's frame shows and offers. */
export interface ConsoleFacts {
  /** Name of the app: `Orderly`. */
  readonly name: string;
  /** Name of its environment: `dev`, or `local`. */
  readonly environment: string;
  /** Whether it is a local cloud: time and faults are at hand. */
  readonly local: boolean;
  /** Why `GET /_console/operations/...` answers nothing; absent if it answers. */
  readonly noOperations?: string;
  readonly toys: readonly Toy[];
  /** One sentence that says what the app promises: the heading of the first view. @default the view makes no promise */
  readonly promise?: string;
  /** Lists that the app has for its operators. @default none */
  readonly lists?: readonly AppList[];
  /** Whether `POST /_console/runs` runs commands of the app's command line. @default false */
  readonly runsCommands?: boolean;
}

/** Something that an app offers to try: it is one button. */
export interface Toy {
  /** Identifies it in `POST /_console/toys/<id>`. */
  readonly id: string;
  /** Text of the button: `Place an order with a declined card`. */
  readonly label: string;
  /** One sentence that says what will be seen. */
  readonly about: string;
}

/** Answer to `POST /_console/toys/<id>`. */
export interface PlayedToy {
  /** One sentence that says what was done. */
  readonly text: string;
  /** Id of the order, message or request to look at. */
  readonly id?: string;
}

/** Names of the counts, in the order in which the page shows them. */
export const COUNT_NAMES = [
  'committed',
  'published',
  'delivered',
  'applied',
  'duplicates',
  'crashes',
  'lost',
  'twice',
] as const;
export type CountName = (typeof COUNT_NAMES)[number];

/** One number that proves, or the reason why it is unknown. */
export type Count =
  | { readonly value: number }
  | {
      /** Why it is unknown. */
      readonly unknown: string;
      /** Whether it will be known in a moment. */
      readonly isUnderWay?: true;
    };

/** Answer to `GET /_console/counts`. */
export interface Counts {
  readonly counts: Readonly<Record<CountName, Count>>;
  /** Crashes whose messages still wait for another attempt; they are no part of `crashes`. */
  readonly open: number;
  /** Deliveries that the last check could not judge yet: they wait, or are too new. */
  readonly unjudged: number;
  /** Time before which lost and done twice were checked, ISO 8601 by the environment's clock; absent before the first check. */
  readonly checkedUntil?: string;
}

/** One line of what a number counts. */
export interface Counted {
  /** ISO 8601. */
  readonly at: string;
  /** Path of the construct, or name of the service. */
  readonly owner: string;
  /** Its outcome: `applied`, `crashed`. */
  readonly outcome: string;
  readonly type?: string;
  readonly subject?: string;
  readonly error?: string;
  /** Id by which the page `One order` finds what belongs to it. */
  readonly id?: string;
}

/** Answer to `GET /_console/counted/<name>`: the newest of what a number counts, newest first. */
export interface CountedList {
  readonly name: CountName;
  readonly count: Count;
  readonly items: readonly Counted[];
}
