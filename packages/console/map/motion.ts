import type { Happened } from '../page/stream.js';
import type { MapEdge } from '../server/map-contract.js';
import type { PictureLine } from './picture.js';

/** How a message on its way is drawn. */
export type Tone = 'new' | 'applied' | 'duplicate' | 'failed';

/** A message that moves along a line. */
export interface Move {
  /** Place of the line among those of the picture. */
  readonly line: number;
  readonly tone: Tone;
}

const FAILED = ['crashed', 'answer lost', 'refused', 'throttled', 'lost', 'given up', 'killed-before', 'killed-after'];
const DUPLICATES = ['duplicate', 'too old'];

/** Returns how an outcome is drawn. */
export function toneOf({ outcome = '', fault }: Pick<Happened, 'outcome' | 'fault'>): Tone {
  if (DUPLICATES.some((one) => outcome.startsWith(one))) return 'duplicate';
  if (FAILED.includes(outcome) || (fault !== undefined && FAILED.includes(fault))) return 'failed';
  return outcome === 'applied' || outcome === 'done' ? 'applied' : 'new';
}

/** Returns the lines along which something moves because of what has happened. */
export function movesOf(happened: Happened, lines: readonly PictureLine[]): readonly Move[] {
  const fits = edgeOf(happened);
  if (!fits) return [];
  const tone = toneOf(happened);
  return lines.flatMap(({ members }, line) => (members.some(fits) ? [{ line, tone }] : []));
}

/** Returns what an edge is like along which this goes; `undefined` if it goes along none. */
function edgeOf({ kind, owner, outcome, target, messageId }: Happened): ((edge: MapEdge) => boolean) | undefined {
  const own = `function:${owner}`;
  switch (kind) {
    case 'delivery':
      // A bus tells of the rule, a queue of the function.
      if (messageId === undefined)
        return outcome === 'began'
          ? undefined
          : ({ rules = [], to }) => rules.some(({ label }) => label === owner) && isTarget(to, target);
      return outcome === 'began'
        ? undefined
        : ({ kind: of, to, from }) => of === 'consumes' && to === own && isFrom(messageId, from);
    case 'record':
      return outcome === 'began' ? undefined : ({ kind: of, to }) => of === 'streams' && to === own;
    case 'timer':
      return ({ from }) => from === `schedule:${owner}`;
    case 'call':
      return ({ from, to, kind: of }) =>
        from === own && (to === `provider:${target}` || (of === 'publishes' && target === 'events.PutEvents'));
    default:
      return undefined;
  }
}

/** A rule with several targets tells of each: a queue by its path, a function by its ARN, whose name isn't its path. */
const isTarget = (to: string, target = ''): boolean => !to.startsWith('queue:') || to === `queue:${target}`;

/** The id of a message begins with the path of the queue that took it first; a dead-letter queue keeps it. */
const isFrom = (messageId: string, from: string): boolean => {
  const queue = from.replace(/^queue:/, '').replaceAll('/', '-');
  return messageId.startsWith(`${queue}-`) || !/-\d+$/.test(messageId);
};
