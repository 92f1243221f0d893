import type { IpBlock } from '@tapdeck/ip'
import type { Filter } from './filter.ts'
import { testPaths } from './paths.ts'
import { predicate } from './predicate.ts'
import type { TestNode, ValueNode } from './typed-node.ts'

/** An address or a port that takes part in a call, at either end. */
export type Party = { readonly ip: string } | { readonly port: number }

/** The names of a peer that resolve to addresses. */
export type PartyName = 'pod' | 'svc' | 'ns' | 'node'

/** All addresses that ever had a matching name; undefined if not known. Extra addresses only cost time; missing ones lose calls. */
export type AddressesOf = (
  kind: PartyName,
  passes: (name: string) => boolean,
) => readonly string[] | undefined

/** A longer list does not restrict enough to be useful. */
const MAX_PARTIES = 4096
const MAX_LISTS = 8
const MAX_PORTS = 256
/** Host bits of the largest CIDR block that is expanded into addresses. */
const BLOCK_BITS = 8
const PORTS = 65_536
const NAME = /^(src|dst)\.(pod|svc|ns|node)$/
const PORT = /^(src|dst)\.port$/
const ADDRESS = /^(src|dst)\.ip$/

type Lists = readonly (readonly Party[])[]
const ANY_PARTY: Lists = []
const NO_PARTY: Lists = [[]]

/**
 * The parties of every call that the filter can match: at least one of each list. No lists: any party. An empty list: no
 * call can match. The result may be wider than the filter, never narrower.
 */
export function partiesOf(filter: Pick<Filter, 'tree'>, addressesOf: AddressesOf): Lists {
  return ofTest(filter.tree, addressesOf)
}

function ofTest(node: TestNode, names: AddressesOf): Lists {
  switch (node.kind) {
    case 'always':
      return node.value ? ANY_PARTY : NO_PARTY
    case 'and': {
      const whole = ofOneEnd(node, names)
      return whole.length > 0 ? whole : shortest(node.parts.flatMap((part) => ofTest(part, names)))
    }
    case 'or':
      return node.parts.map((part) => ofTest(part, names)).reduce(united)
    case 'truth':
      return node.of.kind === 'test' ? ofTest(node.of.of, names) : ANY_PARTY
    case 'compare':
      if (node.left.kind === 'test' && node.right.kind === 'constant' && node.right.value === true)
        return ofTest(node.left.of, names)
      if (node.operator === '==' && node.right.kind === 'constant' && isAddress(node.left))
        return addresses([node.right.value])
      return ofOneEnd(node, names)
    case 'one-of':
      return isAddress(node.of) ? addresses(node.values) : ofOneEnd(node, names)
    case 'cidr':
      return isAddress(node.of) ? expanded(node.block) : ANY_PARTY
    case 'not':
    case 'present':
    case 'text':
    case 'matches':
      return ofOneEnd(node, names)
    default:
      return ANY_PARTY
  }
}

/** Evaluates a test of a single name or port on all values. A test that passes without a value restricts nothing. */
function ofOneEnd(node: TestNode, names: AddressesOf): Lists {
  const [path, ...others] = testPaths(node)
  if (path === undefined || others.length > 0) return ANY_PARTY
  const [side = '', member = ''] = path.split('.')
  const isName = NAME.test(path)
  if (!isName && !PORT.test(path)) return ANY_PARTY
  const run = { variables: [], left: 0, looksThroughLists: false, compileTest: predicate }
  const test = predicate(node, run)
  if (run.looksThroughLists) return ANY_PARTY
  const passes = (value: string | number) => test({ [side]: { [member]: value } })
  if (test({})) return ANY_PARTY
  if (!isName) return ports(passes)
  const found = names(member as PartyName, passes)
  return found === undefined || found.length > MAX_PARTIES ? ANY_PARTY : addresses(found)
}

/** Port 0 means that the protocol has no ports. */
function ports(passes: (port: number) => boolean): Lists {
  if (passes(0)) return ANY_PARTY
  const found: Party[] = []
  for (let port = 1; port < PORTS; port++)
    if (passes(port)) {
      if (found.length === MAX_PORTS) return ANY_PARTY
      found.push({ port })
    }
  return [found]
}

function isAddress(value: ValueNode): boolean {
  return value.kind === 'field' && value.field.derive === undefined && ADDRESS.test(value.field.path)
}

function addresses(values: readonly unknown[]): Lists {
  if (values.length > MAX_PARTIES || values.some((value) => typeof value !== 'string')) return ANY_PARTY
  return [[...new Set(values)].map((ip) => ({ ip: String(ip) }))]
}

/** The addresses of a small IPv4 block. */
function expanded({ bytes, bits }: IpBlock): Lists {
  const open = 32 - bits
  if (bytes.length !== 4 || open > BLOCK_BITS) return ANY_PARTY
  const last = bytes[3]! & ~((1 << open) - 1)
  const front = bytes.slice(0, 3).join('.')
  return [Array.from({ length: 1 << open }, (_, at) => ({ ip: `${front}.${last + at}` }))]
}

/** For `or`: each list of one side joined with each list of the other. */
function united(one: Lists, other: Lists): Lists {
  const all = one.flatMap((first) => other.map((second) => joined(first, second)))
  return shortest(all.filter((list) => list.length <= MAX_PARTIES))
}

function joined(one: readonly Party[], other: readonly Party[]): readonly Party[] {
  const both = new Map<string, Party>()
  for (const party of [...one, ...other]) both.set('ip' in party ? party.ip : String(party.port), party)
  return [...both.values()]
}

function shortest(lists: Lists): Lists {
  return [...lists].sort((a, b) => a.length - b.length).slice(0, MAX_LISTS)
}
