/** Messages of the capture thread to the live thread, in order. */
export type BlockMessage =
  /** The address of the blocks in the memory of the process. It stays mapped until the process ends. */
  | { readonly kind: 'memory'; readonly address: bigint; readonly lease: SharedArrayBuffer }
  /** Indexing begins. `preamble` is a section header with all interfaces so far. */
  | { readonly kind: 'begin'; readonly preamble: Uint8Array }
  /** More of the preamble: an interface that appeared, or a new section. */
  | { readonly kind: 'preamble'; readonly bytes: Uint8Array }
  /** A part of a block to read; more parts of the same block may follow. */
  | { readonly kind: 'block'; readonly block: number; readonly from: number; readonly to: number }
  /** No further part of the block follows: the live thread releases it. */
  | { readonly kind: 'release'; readonly block: number }
  /** No block follows until the next `begin`. */
  | { readonly kind: 'end' }
