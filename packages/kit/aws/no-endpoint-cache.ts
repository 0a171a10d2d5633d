function refuse(): never {
  throw new Error('the discovery of endpoints is left out of this bundle: unset AWS_ENABLE_ENDPOINT_DISCOVERY');
}

/**
 * Replaces `@aws-sdk/endpoint-cache` in bundles (by esbuild's `alias`). The client of DynamoDB makes one at its creation, and asks it
 * only if the discovery of endpoints is on. DynamoDB needs none, so it is off by default, and these are 8 KiB that nothing runs.
 */
export class EndpointCache {
  readonly get = refuse;
  readonly getEndpoint = refuse;
  readonly has = refuse;
}
