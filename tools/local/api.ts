/** One request to the API; the body of its answer, whatever the status. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface ApiRequest {
  readonly token: string;
  readonly body?: unknown;
  /** `Idempotency-Key` */
  readonly key?: string;
}

/** @param route method and path below the stage: `POST /orders` */
export async function callApi(apiUrl: string, route: string, { token, body, key }: ApiRequest): Promise<ApiAnswer> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/**
 * The same where any other answer than a success is a fault of the caller.
 * @throws {Error} with the status and the problem
 */
export async function expectFromApi<T>(apiUrl: string, route: string, request: ApiRequest): Promise<T> {
  const { status, body } = await callApi(apiUrl, route, request);
  if (status >= 300) throw new Error(`${route} answered ${status}: ${JSON.stringify(body)}`);
  return body as T;
}
