import nodeCrypto from 'node:crypto';
import type { Random } from '../engine/random.js';
import type { RunInTurn } from './zlib.js';

/**
 * Functions of `node:crypto` whose random numbers no seed decides. In a history they refuse: their results would differ from one
 * play of a seed to the next.
 */
const DRAWING = [
  'createDiffieHellman',
  'createECDH',
  'generateKey',
  'generateKeyPair',
  'generateKeyPairSync',
  'generateKeySync',
  'generatePrime',
  'generatePrimeSync',
  'publicEncrypt',
] as const;

/** Operations of `crypto.subtle` that draw random numbers, by the names of their algorithms. */
const DRAWING_SUBTLE: Readonly<Record<string, RegExp>> = {
  generateKey: /./,
  sign: /^(ECDSA|RSA-PSS)$/i,
  encrypt: /^RSA-OAEP$/i,
  wrapKey: /^RSA-OAEP$/i,
};

type Call = (...args: unknown[]) => unknown;

export interface CryptoSources {
  readonly random: () => Random;
  readonly work: RunInTurn;
  /** Called with the random bytes that were asked for in one call: the memory of the code itself. */
  readonly drew: (bytes: Uint8Array) => void;
  /** Whether other random numbers than the seed's do as well: outside of histories. @default false */
  readonly isReal?: (() => boolean) | undefined;
}

/**
 * Returns `node:crypto` and the global `crypto`, whose random numbers come from a seed. Works of
 * `crypto.subtle` end within the turn of the event loop.
 */
export function createCrypto({ random, work, drew, isReal = () => false }: CryptoSources): {
  readonly module: object;
  readonly webcrypto: object;
} {
  const fill = (view: Uint8Array): Uint8Array => {
    random().fill(view);
    drew(view);
    return view;
  };
  const randomBytes = (size: number, callback?: (error: null, bytes: Buffer) => void): Buffer | undefined => {
    const bytes = Buffer.alloc(size);
    fill(bytes);
    if (!callback) return bytes;
    process.nextTick(callback, null, bytes);
    return undefined;
  };
  const getRandomValues = <T extends ArrayBufferView>(view: T): T => {
    fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return view;
  };
  const randomFillSync = <T extends ArrayBufferView | ArrayBuffer>(view: T, offset = 0, size?: number): T => {
    const [buffer, start, length] = ArrayBuffer.isView(view)
      ? [view.buffer, view.byteOffset, view.byteLength]
      : [view, 0, view.byteLength];
    fill(new Uint8Array(buffer, start + offset, size ?? length - offset));
    return view;
  };
  const randomFill = (view: ArrayBufferView, ...more: readonly unknown[]): void => {
    const numbers = more.filter((one) => typeof one === 'number');
    process.nextTick(more.at(-1) as Call, null, randomFillSync(view, ...numbers));
  };
  const randomInt = (...args: readonly unknown[]): number | undefined => {
    const [first, second] = args.filter((one) => typeof one === 'number');
    const [low, high] = second === undefined ? [0, first ?? 0] : [first ?? 0, second];
    const drawn = random().between(low, high - 1);
    const callback = args.at(-1);
    if (typeof callback !== 'function') return drawn;
    process.nextTick(callback as Call, null, drawn);
    return undefined;
  };
  const randomUUID = (): string => random().id();
  const webcrypto = { getRandomValues, randomUUID, subtle: createSubtle(work, isReal) };
  const seeded = { getRandomValues, randomBytes, randomFill, randomFillSync, randomInt, randomUUID };
  const refused = DRAWING.map((name) => [
    name,
    (...args: readonly unknown[]) =>
      isReal() ? Reflect.apply(nodeCrypto[name], nodeCrypto, args) : refuse(`crypto.${name}`),
  ]);
  return {
    module: { ...nodeCrypto, ...Object.fromEntries(refused), ...seeded, subtle: webcrypto.subtle, webcrypto },
    webcrypto,
  };
}

/** Node carries the operations out in other threads. */
function createSubtle(work: RunInTurn, isReal: () => boolean): object {
  const { subtle } = nodeCrypto.webcrypto;
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(subtle)).filter((name) => name !== 'constructor');
  const operations = names.map((name) => {
    const real = (subtle as unknown as Readonly<Record<string, Call>>)[name] as Call;
    const carryOut = (...args: unknown[]): Promise<unknown> => {
      const drawing = DRAWING_SUBTLE[name];
      const used = readAlgorithm(name === 'wrapKey' ? args[3] : args[0]);
      if (drawing?.test(used) && !isReal()) refuse(`crypto.subtle.${name} with ${used}`);
      return new Promise((resolve, reject) =>
        work((tell) =>
          (real.apply(subtle, args) as Promise<unknown>).then(
            (result) => tell(() => resolve(result)),
            (error) => tell(() => reject(error)),
          ),
        ),
      );
    };
    return [name, async (...args: unknown[]) => carryOut(...args)];
  });
  return Object.fromEntries(operations);
}

const readAlgorithm = (algorithm: unknown): string =>
  String(typeof algorithm === 'object' && algorithm !== null ? (algorithm as { name?: unknown }).name : algorithm);

function refuse(what: string): never {
  throw new Error(`${what} is not simulated: its random numbers would not be those of the seed`);
}
