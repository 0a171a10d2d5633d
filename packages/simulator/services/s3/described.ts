import type { HttpResponse } from '../../runtime/http.js';

/** Members of an answer by the header that has them. Amazon S3 API Reference, "GetObject", "PutObject", "DeleteObject". */
const MEMBERS: Readonly<Record<string, readonly [name: string, read: (value: string) => unknown]>> = {
  'accept-ranges': ['AcceptRanges', String],
  'content-length': ['ContentLength', Number],
  'content-type': ['ContentType', String],
  etag: ['ETag', String],
  'last-modified': ['LastModified', (value) => new Date(value).toISOString()],
  'x-amz-delete-marker': ['DeleteMarker', (value) => value === 'true'],
  'x-amz-version-id': ['VersionId', String],
};

/** Returns an answer on an object as a client of the SDK gets it: headers as members, and the body as a text if there is any. */
export function describeObject({ headers, body }: HttpResponse): object {
  const members = Object.entries(headers).flatMap(([header, value]) => {
    const [name, read] = (Object.hasOwn(MEMBERS, header) ? MEMBERS[header] : undefined) ?? [];
    return name === undefined || read === undefined ? [] : [[name, read(value)] as const];
  });
  return { ...Object.fromEntries(members), ...(body !== '' && { Body: body }) };
}
