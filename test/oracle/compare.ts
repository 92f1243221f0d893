import type { MappedField, Mapping } from './mapping.ts'
import type { Compared, OurMessage, TheirMessage } from './message.ts'
import { textsOf } from './pdml.ts'

/** A place where the two do not say the same. */
export interface Difference {
  /**
   * `message` where only one of us has it, `time` where it was complete in another packet (in microseconds later than
   * tshark's), `pairing` where it answers another request, else the field.
   */
  readonly field: string

  readonly ours: string | undefined
  readonly theirs: string | undefined
  /** Its time, to find it in the capture. */
  readonly time: number
}

export interface Comparison {
  /** Messages that both have. */
  readonly messages: number
  readonly values: number
  readonly fields: ReadonlySet<string>
  readonly differences: readonly Difference[]
}

export function compare(
  mapping: Mapping,
  ours: readonly OurMessage[],
  theirs: readonly TheirMessage[],
): Comparison {
  const { both, late, onlyOurs, onlyTheirs } = align(mapping, ours, theirs)
  const differences: Difference[] = [
    ...onlyOurs.map((message) => ({
      field: 'message',
      ours: label(message),
      theirs: undefined,
      time: message.time,
    })),
    ...onlyTheirs.map((message) => ({
      field: 'message',
      ours: undefined,
      theirs: told(mapping, message),
      time: message.time,
    })),
  ]
  const fields = new Set<string>()
  let values = 0
  const check = (field: string, our: Compared, their: Compared, time: number) => {
    if (our === undefined && their === undefined) return
    fields.add(field)
    values++
    if (textOf(our) !== textOf(their))
      differences.push({ field, ours: textOf(our), theirs: textOf(their), time })
  }
  for (const [our, their] of late) check('time', String(our.time - their.time), '0', their.time)
  for (const [our, their] of [...both, ...late]) {
    if (their.asked !== undefined)
      check('pairing', since(our, our.asked), since(our, their.asked), their.time)
    for (const [name, field] of Object.entries(mapping.fields))
      if ((field.on === 'response') === (our.is === 'response'))
        check(name, ourValue(field, our), theirValue(field, their), their.time)
  }
  return { messages: both.length + late.length, values, fields, differences }
}

interface Alignment {
  readonly both: readonly (readonly [OurMessage, TheirMessage])[]
  readonly late: readonly (readonly [OurMessage, TheirMessage])[]
  readonly onlyOurs: readonly OurMessage[]
  readonly onlyTheirs: readonly TheirMessage[]
}

/** Messages are the same if the same end completed them in the same packet, in the same order within it. */
function align(mapping: Mapping, ours: readonly OurMessage[], theirs: readonly TheirMessage[]): Alignment {
  const { key, inOrder } = mapping
  const placeOf = (message: OurMessage | TheirMessage, extra: string | undefined) =>
    `${message.flow}|${message.from}|${inOrder ? '' : message.time}|${extra ?? ''}`
  const waiting = new Map<string, OurMessage[]>()
  for (const message of ours) {
    const place = placeOf(message, key?.(message))
    const there = waiting.get(place)
    if (there === undefined) waiting.set(place, [message])
    else there.push(message)
  }
  const both: [OurMessage, TheirMessage][] = []
  const onlyTheirs: TheirMessage[] = []
  for (const message of theirs) {
    const our = waiting.get(placeOf(message, message.key))?.shift()
    if (our === undefined) onlyTheirs.push(message)
    else both.push([our, message])
  }
  return { both, ...lateOnes(mapping, [...waiting.values()].flat(), onlyTheirs) }
}

/** The same message, complete for one of us in another packet: the next on its side that begins with the same word. */
function lateOnes(
  mapping: Mapping,
  ours: readonly OurMessage[],
  theirs: readonly TheirMessage[],
): Omit<Alignment, 'both'> {
  const left = [...ours]
  const late: [OurMessage, TheirMessage][] = []
  const onlyTheirs = theirs.filter((message) => {
    const at = left.findIndex(
      (our) =>
        our.flow === message.flow &&
        our.from === message.from &&
        mapping.key?.(our) === message.key &&
        firstWord(mapping, our, (field) => ourValue(field, our)) ===
          firstWord(mapping, our, (field) => theirValue(field, message)),
    )
    if (at >= 0) late.push([left.splice(at, 1)[0], message])
    return at < 0
  })
  return { late, onlyOurs: left, onlyTheirs }
}

function firstWord({ fields }: Mapping, { is }: OurMessage, value: (field: MappedField) => Compared): string {
  const field = Object.values(fields).find(({ on }) => (on === 'response') === (is === 'response'))
  return (field === undefined ? undefined : textOf(value(field))) ?? ''
}

function ourValue({ ours }: MappedField, message: OurMessage): Compared {
  if (typeof ours === 'function') return ours(message)
  let value: unknown = message.call
  for (const step of ours.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, step)
  }
  if (value === undefined || value === null) return undefined
  return Array.isArray(value) ? value.map(String) : String(value)
}

function theirValue({ theirs }: MappedField, { nodes }: TheirMessage): Compared {
  return typeof theirs === 'function' ? theirs(nodes) : textsOf(nodes, theirs)[0]
}

function textOf(value: Compared): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
}

/** How long before its response a request was complete. */
function since({ time }: OurMessage, asked: number | undefined): string | undefined {
  return asked === undefined ? undefined : `${time - asked} µs before`
}

function label({ is, call: { proto, method, path, status } }: OurMessage): string {
  return [is, proto, ...(is === 'response' ? [status] : [method, path])]
    .filter((part) => part !== undefined)
    .join(' ')
}

function told({ fields }: Mapping, message: TheirMessage): string {
  const values = Object.values(fields).map((field) => textOf(theirValue(field, message)))
  return values
    .filter((value) => value !== undefined)
    .slice(0, 3)
    .join(' ')
}
