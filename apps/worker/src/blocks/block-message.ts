/** What the capture thread tells the live thread, in order. */
export type BlockMessage =
  /** Where the blocks of this capture lie in the memory of the process. It stays mapped as long as the process runs. */
  | { readonly kind: 'memory'; readonly address: bigint; readonly lease: SharedArrayBuffer }
  /** Indexing begins. `preamble` is a section header with all interfaces so far. */
  | { readonly kind: 'begin'; readonly preamble: Uint8Array }
  /** More of the preamble: an interface that appeared, or a new section. */
  | { readonly kind: 'preamble'; readonly bytes: Uint8Array }
  /** A part of a block to read; the next part of the same block may follow. */
  | { readonly kind: 'block'; readonly block: number; readonly from: number; readonly to: number }
  /** All of a block was told: it is to be given back. */
  | { readonly kind: 'release'; readonly block: number }
  /** No block follows until the next `begin`. */
  | { readonly kind: 'end' }
