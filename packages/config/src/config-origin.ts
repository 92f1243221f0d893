/** Which kind of source gave a key its value, and the file, variable or option. Never the value itself. */
export interface ConfigOrigin {
  readonly kind: 'default' | 'file' | 'env' | 'argument'
  readonly name?: string
}
