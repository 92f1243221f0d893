/** A header block as it was understood. Many messages may share it, so it is never changed. */
export interface HeaderSection {
  /** The head as text: a start line, unless these are trailers, and `name: value` lines. */
  readonly text: Uint8Array
  /** Where in the text the fields begin. */
  readonly fields: number
  /** It has what only a request has. */
  readonly isRequest: boolean
  /** 0 where it is not given. */
  readonly status: number
  /** Fields of pseudo-header names, which trailers have none of. */
  readonly pseudo: number
  /** Fields that refer to something that was never seen. */
  readonly unknown: number
  /** Not all fields were kept. */
  readonly truncated: boolean
  readonly hasContentType: boolean
  readonly isGrpc: boolean
}
