/** What one of the two formats has to show of a call. */
export interface Details {
  /** What the client sent. */
  readonly stored?: Uint8Array | string
  readonly answer?: Uint8Array | string
  readonly own: { readonly [name: string]: unknown }
}
