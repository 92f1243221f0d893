/**
 * Bytes that break their own format. The only error a parser throws; whoever drives the parser counts it. Hostile
 * traffic causes many, and nobody reads where they came from, so they are made without a stack trace.
 */
export class Malformed extends Error {
  override readonly name = 'Malformed'

  constructor(message: string) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
  }
}
