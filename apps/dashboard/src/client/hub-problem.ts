/** What the hub answered in place of what was asked (RFC 9457), or that it did not answer at all (`status` 0). */
export class HubProblem extends Error {
  override readonly name = 'HubProblem'
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(text(body.detail) ?? text(body.title) ?? `The hub answered with status ${status}.`)
    this.status = status
    this.code = text(body.code) ?? String(status)
    this.hint = text(body.hint)
    this.body = body
  }

  static unreachable(): HubProblem {
    return new HubProblem(0, {
      code: 'unreachable',
      detail: 'The hub does not answer.',
      hint: 'Check that it is running and that this browser can reach it.',
    })
  }
}

function text(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value
  if (Array.isArray(value) && value.length > 0) return value.join(', ')
  return undefined
}
