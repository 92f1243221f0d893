import { Malformed } from '@tapdeck/wire'
import type { FieldValue } from '../../../contract/message.ts'
import type { AmqpCursor } from '../amqp-cursor.ts'
import { readValue } from './value.ts'

/** AMQP 1.0 part 2 §2.7 and part 5 §5.3.3: what a frame does, with the names of its fields. */
const PERFORMATIVES: Readonly<Record<number, readonly [name: string, ...fields: string[]] | undefined>> = {
  16: [
    'open',
    'container_id',
    'hostname',
    'max_frame_size',
    'channel_max',
    'idle_time_out',
    'outgoing_locales',
    'incoming_locales',
    'offered_capabilities',
    'desired_capabilities',
    'properties',
  ],
  17: [
    'begin',
    'remote_channel',
    'next_outgoing_id',
    'incoming_window',
    'outgoing_window',
    'handle_max',
    'offered_capabilities',
    'desired_capabilities',
    'properties',
  ],
  18: [
    'attach',
    'name',
    'handle',
    'role',
    'snd_settle_mode',
    'rcv_settle_mode',
    'source',
    'target',
    'unsettled',
    'incomplete_unsettled',
    'initial_delivery_count',
    'max_message_size',
    'offered_capabilities',
    'desired_capabilities',
    'properties',
  ],
  19: [
    'flow',
    'next_incoming_id',
    'incoming_window',
    'next_outgoing_id',
    'outgoing_window',
    'handle',
    'delivery_count',
    'link_credit',
    'available',
    'drain',
    'echo',
    'properties',
  ],
  20: [
    'transfer',
    'handle',
    'delivery_id',
    'delivery_tag',
    'message_format',
    'settled',
    'more',
    'rcv_settle_mode',
    'state',
    'resume',
    'aborted',
    'batchable',
  ],
  21: ['disposition', 'role', 'first', 'last', 'settled', 'state', 'batchable'],
  22: ['detach', 'handle', 'closed', 'error'],
  23: ['end', 'error'],
  24: ['close', 'error'],
  64: ['sasl-mechanisms', 'mechanisms'],
  65: ['sasl-init', 'mechanism', 'initial_response', 'hostname'],
  66: ['sasl-challenge', 'challenge'],
  67: ['sasl-response', 'response'],
  68: ['sasl-outcome', 'code', 'additional_data'],
}

const SYMBOLS: Readonly<Record<string, number | undefined>> = Object.fromEntries(
  Object.entries(PERFORMATIVES).map(([code, named]) => [`amqp:${named?.[0]}:list`, Number(code)]),
)

export interface Performative {
  readonly name: string
  readonly fields: { readonly [name: string]: FieldValue }
  /** Where the value of each field begins, its constructor included. */
  readonly places: { readonly [name: string]: number }
  /** Where it ends and the payload begins. */
  readonly end: number
}

export function isPerformative(code: number): boolean {
  return PERFORMATIVES[code] !== undefined
}

/** A described list; absent and null fields are left out. */
export function readPerformative(cursor: AmqpCursor): Performative {
  if (cursor.byte() !== 0) throw new Malformed('no described type')
  const descriptor = readValue(cursor)
  const code = typeof descriptor === 'string' ? SYMBOLS[descriptor] : descriptor
  const named = typeof code === 'number' ? PERFORMATIVES[code] : undefined
  if (named === undefined) throw new Malformed('unknown performative')
  const [name, ...names] = named
  const fields: { [name: string]: FieldValue } = {}
  const places: { [name: string]: number } = {}
  const end = readList(cursor, (index) => {
    const at = cursor.at
    const value = readValue(cursor)
    const field = names[index]
    if (field === undefined || value === null) return
    fields[field] = value
    places[field] = at
  })
  return { name, fields, places, end }
}

function readList(cursor: AmqpCursor, each: (index: number) => void): number {
  const code = cursor.byte()
  if (code === 0x45) return cursor.at
  if (code !== 0xc0 && code !== 0xd0) throw new Malformed('no list')
  const size = code === 0xc0 ? cursor.byte() : cursor.long()
  if (size > cursor.left) throw new Malformed('cut short')
  const end = cursor.at + size
  const count = code === 0xc0 ? cursor.byte() : cursor.long()
  for (let i = 0; i < count && cursor.at < end; i++) each(i)
  cursor.at = end
  return end
}
