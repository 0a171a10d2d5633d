/** Address of AWS's APIs. */
export interface Endpoint {
  /** Origin of an emulator. Undefined for AWS itself, with the credentials of the environment. */
  readonly url: string | undefined;
  readonly region: string;
}

/** Returns the configuration of an SDK client. An emulator never receives real credentials. */
export function clientConfig({ url, region }: Endpoint) {
  if (!url) return { region };
  return { endpoint: url, region, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
}

/** Describes an endpoint for people. */
export const placeOf = ({ url, region }: Endpoint): string => url ?? `AWS ${region}`;
