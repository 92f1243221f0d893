import { elementsOf, entryOf } from './collection.ts'
import { readField } from './read-field.ts'
import type { Read } from './read-path.ts'
import { reckon } from './reckon.ts'
import type { Run } from './run.ts'
import { asNumber, asText, lengthOf } from './scalar.ts'
import type { ValueNode } from './typed-node.ts'

/** A longer text is nothing that a call holds: sums of sums must not fill the memory. */
const MAX_TEXT = 1024 * 1024

/** A reader of a value; undefined or null where it is absent. */
export function valueReader(node: ValueNode, run: Run): Read {
  switch (node.kind) {
    case 'constant': {
      const { value } = node
      const plain = typeof value === 'object' ? value.text : value
      return () => plain
    }
    case 'field':
      return readField(node.field)
    case 'variable':
      return () => run.variables[node.slot]
    case 'member':
      return memberReader(node, run)
    case 'otherwise': {
      const of = valueReader(node.of, run)
      const otherwise = valueReader(node.otherwise, run)
      return (call) => of(call) ?? otherwise(call)
    }
    case 'arithmetic': {
      const left = valueReader(node.left, run)
      const right = valueReader(node.right, run)
      return (call) => {
        const a = asNumber(node.left.type, left(call))
        const b = asNumber(node.right.type, right(call))
        return a === undefined || b === undefined ? undefined : reckon(node.operator, a, b)
      }
    }
    case 'concat': {
      const left = valueReader(node.left, run)
      const right = valueReader(node.right, run)
      return (call) => {
        const a = left(call)
        const b = right(call)
        return typeof a === 'string' && typeof b === 'string' && a.length + b.length <= MAX_TEXT
          ? a + b
          : undefined
      }
    }
    case 'size': {
      const of = valueReader(node.of, run)
      return (call) => sizeOf(of(call))
    }
    case 'convert': {
      const of = valueReader(node.of, run)
      return (call) => convert(node.type, of(call))
    }
    case 'choose': {
      const test = run.compileTest(node.test, run)
      const yes = valueReader(node.yes, run)
      const no = valueReader(node.no, run)
      return (call) => (test(call) ? yes(call) : no(call))
    }
    case 'test':
      return run.compileTest(node.of, run)
    case 'list': {
      const items = node.items.map((item) => valueReader(item, run))
      return (call) => items.map((item) => item(call))
    }
    case 'filter':
    case 'map':
      return transformReader(node, run)
  }
}

function memberReader(node: Extract<ValueNode, { kind: 'member' }>, run: Run): Read {
  const of = valueReader(node.of, run)
  const key = valueReader(node.key, run)
  return (call) => {
    const holder = of(call)
    const wanted = key(call)
    if (typeof wanted === 'string')
      return Array.isArray(holder) ? entriesOf(holder, wanted) : entryOf(holder, wanted, node.ignoreCase)
    return typeof wanted === 'number' && Array.isArray(holder) ? holder[wanted] : undefined
  }
}

/** `items.id` of a list is the `id` of each of its elements, as a list compares as each of them. */
function entriesOf(list: readonly unknown[], key: string): unknown {
  const found = list.flatMap((element) => entryOf(element, key, false) ?? [])
  return found.length > 0 ? found : undefined
}

function transformReader(node: Extract<ValueNode, { kind: 'filter' | 'map' }>, run: Run): Read {
  const list = valueReader(node.list, run)
  const each = node.kind === 'filter' ? run.compileTest(node.body, run) : valueReader(node.body, run)
  run.looksThroughLists = true
  return (call) => {
    const elements = elementsOf(list(call))?.slice(0, Math.max(0, run.left))
    const visit = (element: unknown): unknown => {
      if (--run.left < 0) return undefined
      run.variables[node.slot] = element
      return each(call)
    }
    return node.kind === 'filter' ? elements?.filter(visit) : elements?.map(visit)
  }
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string') return lengthOf(value)
  if (Array.isArray(value)) return value.length
  if (typeof value === 'object' && value !== null) return Object.keys(value).length
  return typeof value === 'number' ? String(value).length : undefined
}

function convert(type: ValueNode['type'], value: unknown): unknown {
  if (type === 'string') return asText('json', value)
  const number = asNumber('json', value)
  return type === 'integer' && number !== undefined ? Math.trunc(number) : number
}
