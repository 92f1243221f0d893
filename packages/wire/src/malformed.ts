/**
 * Bytes that violate their format: the only error a parser throws. The caller of the parser counts it. Hostile traffic
 * causes many of them, so they have no stack trace.
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
