/** Facts in an address that somebody has signed for others. */
export interface Presigned {
  /** Session token of who has signed it. */
  readonly token: string;
  /** When it ends, milliseconds since 1970. */
  readonly expires: number;
}

/**
 * Reads a presigned address: signature version 4, or version 2 as older SDKs sign. Amazon S3 API Reference, "Authenticating Requests: Using
 * Query Parameters (AWS Signature Version 4)"; User Guide, "Download and upload objects with presigned URLs".
 * @returns nothing for another request, which has its signature in a header
 */
export function readPresigned(query: URLSearchParams): Presigned | undefined {
  const token = query.get('X-Amz-Security-Token') ?? query.get('x-amz-security-token') ?? '';
  if (query.has('X-Amz-Signature')) {
    const [, date = '', time = ''] = /^(\d{8})T(\d{6})Z$/.exec(query.get('X-Amz-Date') ?? '') ?? [];
    const iso = `${date.replace(/(..)(..)$/, '-$1-$2')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`;
    return { token, expires: Date.parse(iso) + Number(query.get('X-Amz-Expires')) * 1000 };
  }
  if (query.has('Signature')) return { token, expires: Number(query.get('Expires')) * 1000 };
  return undefined;
}
