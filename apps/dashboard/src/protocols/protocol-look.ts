/** Protocols of a family share a colour: a list with twenty colours says nothing. */
export type Family = 'web' | 'rpc' | 'data' | 'messages' | 'names' | 'access' | 'transport'

/** How a protocol's rows and details are shown. What it means is the dissector's business. */
export interface ProtocolLook {
  readonly label: string
  readonly family: Family
  /** What its users call the two messages of a call. */
  readonly request: string
  readonly response: string
}
