import type { Compared, OurMessage } from './message.ts'
import { findAll, firstText, type Shown } from './pdml.ts'

/** Ways to find and shape a value; each mapping uses what it needs. */
type Theirs = (nodes: readonly Shown[]) => Compared

/** All fields of that name. None is no value. */
export function all(name: string, shape: (text: string) => string = (text) => text): Theirs {
  return (nodes) => someOf(findAll(nodes, name).map(({ show }) => shape(show)))
}

/** The bytes of a field in hexadecimal. */
export function hex(name: string): Theirs {
  return (nodes) => findAll(nodes, name)[0]?.value
}

/** A number that tshark shows in hexadecimal. */
export function decimal(name: string): (nodes: readonly Shown[]) => string | undefined {
  return (nodes) => {
    const text = firstText(nodes, name)
    return text === undefined ? undefined : String(Number(text))
  }
}

/** The name that tshark gives a number: of `Type: SETTINGS (4)` the middle. */
export function nameOf(name: string): Theirs {
  return (nodes) => {
    const [field] = findAll(nodes, name)
    return field === undefined ? undefined : namePart(field)
  }
}

function namePart({ line }: Shown): string | undefined {
  return /[:=] ?(?:.*: )?(.+?) \((?:0x)?[\da-f]+\)$/i.exec(line)?.[1]
}

/** Empty is as good as absent. */
export function filled(name: string): Theirs {
  return (nodes) => firstText(nodes, name) || undefined
}

export function someOf(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list
}

/** What stands under the protocol's name in the call. */
export function own({ call }: OurMessage, field: string): unknown {
  const object = call[call.proto]
  return typeof object === 'object' && object !== null ? Reflect.get(object, field) : undefined
}
