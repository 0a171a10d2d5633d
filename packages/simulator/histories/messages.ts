import type {
  Compared,
  HistoriesChoice,
  HistoriesOffer,
  OpenedHistory,
  OpenRequest,
  SearchLine,
} from '@orderly/console';

/** What a player is asked. `number` is in its answer. */
export type Ask = { readonly number: number } & (
  | { readonly kind: 'offer' }
  | ({ readonly kind: 'open' } & OpenRequest)
  | { readonly kind: 'compare'; readonly comparison: string }
  /** Answered by lines, and by `undefined` when it has ended. */
  | ({ readonly kind: 'search' } & HistoriesChoice)
);

/** An ask without its number. */
export type Question = Ask extends infer One ? (One extends Ask ? Omit<One, 'number'> : never) : never;

/** Message to a player: a question, or the wish that the search with this number ends after its present history. */
export type ToPlayer = Ask | { readonly kind: 'stop'; readonly number: number };

/** Message of a player. */
export type FromPlayer =
  | { readonly kind: 'line'; readonly number: number; readonly line: SearchLine }
  | { readonly kind: 'answer'; readonly number: number; readonly answer?: HistoriesOffer | OpenedHistory | Compared }
  /** `isRefused`: the question was wrong; otherwise the app's module failed. */
  | { readonly kind: 'failed'; readonly number: number; readonly message: string; readonly isRefused: boolean };
