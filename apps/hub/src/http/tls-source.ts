export interface TlsMaterial {
  /** The certificate chain in PEM. */
  readonly cert: string | Buffer
  readonly key: string | Buffer
}

/** Where a port takes its certificate from, also a renewed one. */
export interface TlsSource {
  read(): TlsMaterial
  watch(use: (material: TlsMaterial) => void): void
}
