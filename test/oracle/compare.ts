import type { Compared, OurHalf, TheirHalf } from './half.ts'
import type { MappedField, Mapping } from './mapping.ts'
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
  ours: readonly OurHalf[],
  theirs: readonly TheirHalf[],
): Comparison {
  const { both, late, onlyOurs, onlyTheirs } = align(mapping, ours, theirs)
  const differences: Difference[] = [
    ...onlyOurs.map((half) => ({ field: 'message', ours: label(half), theirs: undefined, time: half.time })),
    ...onlyTheirs.map((half) => ({
      field: 'message',
      ours: undefined,
      theirs: told(mapping, half),
      time: half.time,
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
  readonly both: readonly (readonly [OurHalf, TheirHalf])[]
  readonly late: readonly (readonly [OurHalf, TheirHalf])[]
  readonly onlyOurs: readonly OurHalf[]
  readonly onlyTheirs: readonly TheirHalf[]
}

/** Messages are the same if the same end completed them in the same packet, in the same order within it. */
function align(mapping: Mapping, ours: readonly OurHalf[], theirs: readonly TheirHalf[]): Alignment {
  const { key, inOrder } = mapping
  const placeOf = (half: OurHalf | TheirHalf, extra: string | undefined) =>
    `${half.flow}|${half.from}|${inOrder ? '' : half.time}|${extra ?? ''}`
  const waiting = new Map<string, OurHalf[]>()
  for (const half of ours) {
    const place = placeOf(half, key?.(half))
    const there = waiting.get(place)
    if (there === undefined) waiting.set(place, [half])
    else there.push(half)
  }
  const both: [OurHalf, TheirHalf][] = []
  const onlyTheirs: TheirHalf[] = []
  for (const half of theirs) {
    const our = waiting.get(placeOf(half, half.key))?.shift()
    if (our === undefined) onlyTheirs.push(half)
    else both.push([our, half])
  }
  return { both, ...lateOnes(mapping, [...waiting.values()].flat(), onlyTheirs) }
}

/** The same message, complete for one of us in another packet: the next on its side that begins with the same word. */
function lateOnes(
  mapping: Mapping,
  ours: readonly OurHalf[],
  theirs: readonly TheirHalf[],
): Omit<Alignment, 'both'> {
  const left = [...ours]
  const late: [OurHalf, TheirHalf][] = []
  const onlyTheirs = theirs.filter((half) => {
    const at = left.findIndex(
      (our) =>
        our.flow === half.flow &&
        our.from === half.from &&
        mapping.key?.(our) === half.key &&
        firstWord(mapping, our, (field) => ourValue(field, our)) ===
          firstWord(mapping, our, (field) => theirValue(field, half)),
    )
    if (at >= 0) late.push([left.splice(at, 1)[0], half])
    return at < 0
  })
  return { late, onlyOurs: left, onlyTheirs }
}

function firstWord({ fields }: Mapping, { is }: OurHalf, value: (field: MappedField) => Compared): string {
  const field = Object.values(fields).find(({ on }) => (on === 'response') === (is === 'response'))
  return (field === undefined ? undefined : textOf(value(field))) ?? ''
}

function ourValue({ ours }: MappedField, half: OurHalf): Compared {
  if (typeof ours === 'function') return ours(half)
  let value: unknown = half.call
  for (const step of ours.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, step)
  }
  if (value === undefined || value === null) return undefined
  return Array.isArray(value) ? value.map(String) : String(value)
}

function theirValue({ theirs }: MappedField, { nodes }: TheirHalf): Compared {
  return typeof theirs === 'function' ? theirs(nodes) : textsOf(nodes, theirs)[0]
}

function textOf(value: Compared): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
}

/** How long before its response a request was complete. */
function since({ time }: OurHalf, asked: number | undefined): string | undefined {
  return asked === undefined ? undefined : `${time - asked} µs before`
}

function label({ is, call: { proto, method, path, status } }: OurHalf): string {
  return [is, proto, ...(is === 'response' ? [status] : [method, path])]
    .filter((part) => part !== undefined)
    .join(' ')
}

function told({ fields }: Mapping, half: TheirHalf): string {
  const values = Object.values(fields).map((field) => textOf(theirValue(field, half)))
  return values
    .filter((value) => value !== undefined)
    .slice(0, 3)
    .join(' ')
}
