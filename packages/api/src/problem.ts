/** An RFC 9457 problem. Every error that leaves the process has this shape; no stack trace ever does. */
export interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly hint?: string
  readonly [extension: string]: unknown
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  416: 'Range Not Satisfiable',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  507: 'Insufficient Storage',
}

/** Thrown by operations and turned into an answer by the interface that received the request. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly code: string
  readonly extensions: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    code: string,
    detail: string,
    extensions: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail)
    this.status = status
    this.code = code
    this.extensions = extensions
  }

  body(): ProblemBody {
    return {
      type: `urn:tapdeck:problem:${this.code}`,
      title: titles[this.status] ?? 'Error',
      status: this.status,
      detail: this.message,
      code: this.code,
      ...this.extensions,
    }
  }
}
