/** What the server says when it does not do something (RFC 9457). */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  /** Everything else in the answer: `standing` and `suggestion` of a 409, `errors` of a 422. */
  readonly more: Record<string, unknown>;

  constructor(status: number, code: string, detail: string, more: Record<string, unknown> = {}) {
    super(detail);
    this.name = "Problem";
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.more = more;
  }

  /** The problem that an answer tells of. */
  static async of(answer: Response): Promise<Problem> {
    try {
      const body = (await answer.clone().json()) as Record<string, unknown>;
      const detail = String(body.detail ?? body.title ?? answer.statusText);
      return new Problem(answer.status, String(body.code ?? answer.status), detail, body);
    } catch {
      return new Problem(answer.status, String(answer.status), `The server answered ${answer.status}.`);
    }
  }

  /** Any error as a problem. */
  static from(error: unknown): Problem {
    if (error instanceof Problem) return error;
    const detail = error instanceof Error ? error.message : String(error);
    return new Problem(0, "page", detail);
  }

  get isAway(): boolean {
    return this.code === "away";
  }
}
