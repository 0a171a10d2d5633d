/** Refuses an operation that streams events, with the setting that permits it. */
function refuse(): never {
  throw new Error(
    'event streams are left out of this bundle: give `eventStreams: true` to Bundles, if a function calls an operation of AWS that streams events',
  );
}

/**
 * Replaces `@smithy/core/event-streams` in bundles (by esbuild's `alias`), unless the app asks for it. Of AWS's operations only few
 * stream events, such as Kinesis' `SubscribeToShard`, and clients bring 11 KiB for them, whether they have one or not.
 */
export const eventStreamSerdeProvider = () => ({ serialize: refuse, deserialize: refuse });

/** Adds to a client's configuration what serializes event streams, as the SDK's function does. */
export const resolveEventStreamSerdeConfig = <Config extends object>(config: Config) =>
  Object.assign(config, { eventStreamMarshaller: eventStreamSerdeProvider() });

/** The SDK makes one for each operation that streams events. */
export class EventStreamSerde {
  constructor() {
    refuse();
  }
}
