export interface ApiRequest {
  readonly method: string;
  /** Path below the stage, with its query. */
  readonly path: string;
  /** A list is a header that is sent more than once. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

export interface ApiResponse {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
