/** Answer of the API to one request, whatever its status. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface ApiRequest {
  readonly token: string;
  readonly body?: unknown;
  /** Value of the `Idempotency-Key` header. */
  readonly key?: string;
}

/**
 * Sends one request to the API.
 * @param route method and path below the stage, such as `POST /orders`
 */
async function callApi(apiUrl: string, route: string, { token, body, key }: ApiRequest): Promise<ApiAnswer> {
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
 * Sends a request that must succeed.
 * @throws {Error} with the status and the problem, for any other answer than a success
 */
export async function expectFromApi<T>(apiUrl: string, route: string, request: ApiRequest): Promise<T> {
  const { status, body } = await callApi(apiUrl, route, request);
  if (status >= 300) throw new Error(`${route} answered ${status}: ${JSON.stringify(body)}`);
  return body as T;
}
