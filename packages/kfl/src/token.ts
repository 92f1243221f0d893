import type { IpBlock } from '@tapdeck/ip'
import type { Span } from './span.ts'

/** One word of a filter. `text` is as it was written. */
export type Token = Span & { readonly text: string } & (
    | { readonly kind: 'name' | 'punctuation' | 'end' }
    | { readonly kind: 'string'; readonly value: string }
    | { readonly kind: 'number'; readonly value: number }
    /** In microseconds. */
    | { readonly kind: 'duration'; readonly value: number }
    /** In bytes. */
    | { readonly kind: 'size'; readonly value: number }
    | { readonly kind: 'ip'; readonly value: IpBlock }
  )
