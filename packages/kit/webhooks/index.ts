/** Signed requests to receivers outside of the application. */
export {
  createWebhookSender,
  decideNext,
  GIVE_UP_AFTER_SECONDS,
  type NextStep,
  NotDelivered,
  NotYet,
  type WebhookMessage,
} from './delivery.js';
export {
  createOutboundSender,
  type HostAddress,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResult,
} from './outbound-request.js';
export { isPublicAddress } from './public-address.js';
export { findUrlFault, MAX_URL_LENGTH } from './receiver-url.js';
export {
  createWebhookSecret,
  NotSignable,
  type ReceivedWebhook,
  SIGNATURE_TOLERANCE_SECONDS,
  type SignedMessage,
  signWebhook,
  verifyWebhook,
  WebhookRejected,
} from './signature.js';
