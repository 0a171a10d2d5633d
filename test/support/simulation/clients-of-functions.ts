import { __Client as Client } from '@aws-sdk/client-dynamodb';
import { type SdkClient, takeFewerSteps } from '../fewer-steps.js';

// All clients of the SDK are of this class, so those of functions take fewer steps.
const { send } = Client.prototype;
Client.prototype.send = function (this: SdkClient, ...args: Parameters<typeof send>) {
  return send.apply(takeFewerSteps(this) as unknown as Client<never, never, never, never>, args);
} as typeof send;
