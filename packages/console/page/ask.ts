/** An answer that is no success: its status, and what the server says of it. */
export class AskFailed extends Error {
  override readonly name = 'AskFailed';

  /** @param status of HTTP; 0 if nothing has answered */
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Asks the page's own server. The browser sends the token along, in a cookie.
 * @param path of the request: `/_local`, `/_console/operations/status`
 * @param body is sent as JSON, by POST. @default nothing is sent, by GET
 * @throws {AskFailed}
 */
export async function ask<Answer>(path: string, body?: object, signal?: AbortSignal): Promise<Answer> {
  const sent = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, {
    ...sent,
    ...(signal && { signal }),
    headers: { accept: 'application/json', ...sent?.headers },
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new AskFailed(0, 'The server does not answer.');
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return answer as Answer;
  throw new AskFailed(response.status, describe(answer) ?? `The server answered with status ${response.status}.`);
}

/** Finds the sentence in an answer: the local cloud has `message`, an API has `detail` or `title` (RFC 9457). */
function describe(answer: unknown): string | undefined {
  const { message, detail, title } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const text = message ?? detail ?? title;
  return typeof text === 'string' ? text : undefined;
}
