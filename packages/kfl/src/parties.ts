import type { Filter } from './filter.ts'
import type { IpBlock } from './ip-block.ts'
import { testPaths } from './paths.ts'
import { predicate } from './predicate.ts'
import type { TestNode, ValueNode } from './typed-node.ts'

/** An address or a port that takes part in a call, at either end. */
export type Party = { readonly ip: string } | { readonly port: number }

/** The names of an end that stand for addresses. */
export type PartyName = 'pod' | 'svc' | 'ns' | 'node'

/** All addresses that ever had a name that passes; undefined where that is not known. Too many do no harm, too few do. */
export type AddressesOf = (
  kind: PartyName,
  passes: (name: string) => boolean,
) => readonly string[] | undefined

/** A longer list says too little to be worth looking things up by. */
const MOST_PARTIES = 4096
const MOST_LISTS = 8
const MOST_PORTS = 256
/** Of a block of addresses: how many of its last bits may be spelled out. */
const BLOCK_BITS = 8
const PORTS = 65_536
const NAME = /^(src|dst)\.(pod|svc|ns|node)$/
const PORT = /^(src|dst)\.port$/
const ADDRESS = /^(src|dst)\.ip$/

type Lists = readonly (readonly Party[])[]
const ANYBODY: Lists = []
const NOBODY: Lists = [[]]

/**
 * Who must take part in every call that the filter matches: one of each list. No lists: anybody may. An empty list:
 * nobody can, and nothing matches. It may say less than the filter does, never more.
 */
export function partiesOf(filter: Pick<Filter, 'tree'>, addressesOf: AddressesOf): Lists {
  return ofTest(filter.tree, addressesOf)
}

function ofTest(node: TestNode, names: AddressesOf): Lists {
  switch (node.kind) {
    case 'always':
      return node.value ? ANYBODY : NOBODY
    case 'and': {
      const whole = ofOneEnd(node, names)
      return whole.length > 0 ? whole : shortest(node.parts.flatMap((part) => ofTest(part, names)))
    }
    case 'or':
      return node.parts.map((part) => ofTest(part, names)).reduce(united)
    case 'truth':
      return node.of.kind === 'test' ? ofTest(node.of.of, names) : ANYBODY
    case 'compare':
      if (node.left.kind === 'test' && node.right.kind === 'constant' && node.right.value === true)
        return ofTest(node.left.of, names)
      if (node.operator === '==' && node.right.kind === 'constant' && isAddress(node.left))
        return addresses([node.right.value])
      return ofOneEnd(node, names)
    case 'one-of':
      return isAddress(node.of) ? addresses(node.values) : ofOneEnd(node, names)
    case 'cidr':
      return isAddress(node.of) ? spelledOut(node.block) : ANYBODY
    case 'not':
    case 'present':
    case 'text':
    case 'matches':
      return ofOneEnd(node, names)
    default:
      return ANYBODY
  }
}

/** A test of one name or one port alone is tried out on all there are. One that passes without any says nothing. */
function ofOneEnd(node: TestNode, names: AddressesOf): Lists {
  const [path, ...others] = testPaths(node)
  if (path === undefined || others.length > 0) return ANYBODY
  const [side = '', member = ''] = path.split('.')
  const isName = NAME.test(path)
  if (!isName && !PORT.test(path)) return ANYBODY
  const run = { variables: [], left: 0, looksThroughLists: false }
  const test = predicate(node, run)
  if (run.looksThroughLists) return ANYBODY
  const passes = (value: string | number) => test({ [side]: { [member]: value } })
  if (test({})) return ANYBODY
  if (!isName) return ports(passes)
  const found = names(member as PartyName, passes)
  return found === undefined || found.length > MOST_PARTIES ? ANYBODY : addresses(found)
}

/** Port 0 is said of what has no ports. */
function ports(passes: (port: number) => boolean): Lists {
  if (passes(0)) return ANYBODY
  const found: Party[] = []
  for (let port = 1; port < PORTS; port++)
    if (passes(port)) {
      if (found.length === MOST_PORTS) return ANYBODY
      found.push({ port })
    }
  return [found]
}

function isAddress(value: ValueNode): boolean {
  return value.kind === 'field' && value.field.derive === undefined && ADDRESS.test(value.field.path)
}

function addresses(values: readonly unknown[]): Lists {
  if (values.length > MOST_PARTIES || values.some((value) => typeof value !== 'string')) return ANYBODY
  return [[...new Set(values)].map((ip) => ({ ip: String(ip) }))]
}

/** A small block of IPv4 as the addresses in it. */
function spelledOut({ bytes, bits }: IpBlock): Lists {
  const open = 32 - bits
  if (bytes.length !== 4 || open > BLOCK_BITS) return ANYBODY
  const last = bytes[3]! & ~((1 << open) - 1)
  const front = bytes.slice(0, 3).join('.')
  return [Array.from({ length: 1 << open }, (_, at) => ({ ip: `${front}.${last + at}` }))]
}

/** One of the two holds: whichever list of one, together with whichever list of the other. */
function united(one: Lists, other: Lists): Lists {
  const all = one.flatMap((first) => other.map((second) => joined(first, second)))
  return shortest(all.filter((list) => list.length <= MOST_PARTIES))
}

function joined(one: readonly Party[], other: readonly Party[]): readonly Party[] {
  const both = new Map<string, Party>()
  for (const party of [...one, ...other]) both.set('ip' in party ? party.ip : String(party.port), party)
  return [...both.values()]
}

function shortest(lists: Lists): Lists {
  return [...lists].sort((a, b) => a.length - b.length).slice(0, MOST_LISTS)
}
