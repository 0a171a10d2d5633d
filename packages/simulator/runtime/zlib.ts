import type { Transform } from 'node:stream';
import zlib from 'node:zlib';

/** Lets another thread work. @param begin starts the work and tells what came of it, which is then heard by the code */
export type RunInTurn = (begin: (tell: (told: () => void) => void) => void) => void;

type Callback = (error: Error | null, result?: unknown) => void;

/** Operations on a whole buffer; each has a synchronous form of the same name with `Sync`. */
const WHOLE = [
  'brotliCompress',
  'brotliDecompress',
  'deflate',
  'deflateRaw',
  'gunzip',
  'gzip',
  'inflate',
  'inflateRaw',
  'unzip',
] as const;

/**
 * Returns `node:zlib` whose results come within the turn of the event loop in which the work begins: otherwise time would pass
 * in the simulated world while a thread of the machine compresses.
 */
export function createZlib(work: RunInTurn): object {
  const own: Record<string, unknown> = { ...zlib };
  for (const name of WHOLE) {
    const sync = zlib[`${name}Sync`] as (...args: readonly unknown[]) => unknown;
    own[name] = (...args: readonly unknown[]): void => {
      const callback = args.at(-1) as Callback;
      process.nextTick(() => {
        let result: unknown;
        try {
          result = sync(...args.slice(0, -1));
        } catch (error) {
          callback(error as Error);
          return;
        }
        callback(null, result);
      });
    };
  }
  for (const [name, make] of Object.entries(zlib))
    if (name.startsWith('create') && name !== 'createBrotliDictionary')
      own[name] = (options?: object) => runStepsInTurn((make as (options?: object) => Transform)(options), work);
  return own;
}

/**
 * Makes the steps of a stream works: also the last one, which is an empty step of zlib's streams. One that fails ends by the end
 * of its stream.
 */
function runStepsInTurn(stream: Transform, work: RunInTurn): Transform {
  const { _transform: transform } = stream;
  stream._transform = (chunk, encoding, callback) =>
    work((tell) => {
      let isOver = false;
      const over = (told: () => void): void => {
        if (isOver) return;
        isOver = true;
        stream.off('close', closed);
        tell(told);
      };
      const closed = (): void => over(() => undefined);
      stream.once('close', closed);
      transform.call(stream, chunk, encoding, (...result) => over(() => callback(...result)));
    });
  return stream;
}
