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
  /** Headers by lower-case name, without those that set several cookies. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`, where there are several. */
  readonly cookies?: readonly string[];
  readonly body: string;
  /** Its bytes, where they are no UTF-8, so that the text can't hold them. */
  readonly bytes?: Uint8Array;
}
