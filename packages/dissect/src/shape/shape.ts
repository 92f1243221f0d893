import type { Summary } from '../contract/call.ts'
import type { Exchange, FieldType } from '../contract/dissector.ts'

/**
 * What calls of a protocol show, each value once: its place in the full call, where it comes from, and, if filters can
 * use it, its description. Filters, columns, docs, MCP tools, the full call and its JSON line are made from it, in this
 * order. `View` is what the protocol reads of an exchange for all values together.
 */
export interface Shape<View> {
  /** Undefined: there is nothing to show. */
  readonly read: (exchange: Exchange, summary: Summary) => View | undefined
  /** Below `request` in the full call, which has method and path in any case. */
  readonly request: Members<View> | Values<View>
  /** Below `response` in the full call, which has the status in any case. */
  readonly response: Members<View> | Values<View>
  /** Below the name of the protocol. */
  readonly own: Members<View>
}

/** All values of a message at once, where each kind of message has its own. None of them is a field. */
export type Values<View> = (view: View) => Readonly<Record<string, unknown>>

export type Members<View> = Readonly<Record<string, Member<View>>>

/** A value that is only shown, or one that is also a field. */
export type Member<View> = Source<View> | DescribedMember<View>

/** Undefined: this call has no such value. */
export type Source<View> = (view: View) => unknown

/** A value with fields: it is one itself, or `parts` of it are. */
export type DescribedMember<View> = { readonly from: Source<View> } & (
  | (Description & { readonly parts?: Parts })
  | { readonly parts: Parts }
)

/** Fields inside of an object, by their keys. */
export type Parts = Readonly<Record<string, Description>>

/** A field as filters, columns, docs and MCP tools know it. */
export interface Description {
  readonly type: FieldType
  readonly doc: string
  /** A realistic filter that uses it. */
  readonly example: string
  /** Its name in filters. Default: protocol and keys, such as `postgresql_error_code`. */
  readonly name?: string
}
