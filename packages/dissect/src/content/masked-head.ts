import type { FieldValue, Message } from '../contract/message.ts'

/** What is noted of a head in which credentials were masked, as `fields.masked`. */
export interface MaskedHead {
  /** Its size before that. */
  readonly head_size: number
  /** What is known of the first credential, and grants no access. */
  readonly credential?: FieldValue
}

/** Undefined for a head in which nothing was masked. */
export function maskedHead({ fields }: Message): MaskedHead | undefined {
  const masked = fields?.masked
  if (typeof masked !== 'object' || masked === null || !('head_size' in masked)) return undefined
  const { head_size, credential } = masked
  return typeof head_size === 'number'
    ? { head_size, ...(credential !== undefined && { credential }) }
    : undefined
}

/** Whether a message has no fields but that. */
export function hasOwnFields({ fields }: Message): boolean {
  if (fields === undefined) return false
  for (const name in fields) if (name !== 'masked') return true
  return false
}
