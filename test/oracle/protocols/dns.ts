import type { Mapping } from '../mapping.ts'
import type { OurMessage } from '../message.ts'
import { findAll, type Shown } from '../pdml.ts'
import { joinHalves, readLayers } from '../read-layers.ts'
import { decimal, own, someOf } from '../values.ts'

/** `Type: A (Host Address) (1)` */
const typeName = ({ line }: Shown) => /Type: (\S+)/.exec(line)?.[1] ?? line
const records = (message: OurMessage, section: string, field: string) => {
  const list = own(message, section)
  return Array.isArray(list) ? someOf(list.map((record) => String(record[field]))) : undefined
}
/** tshark's names of what a record holds; ours are all in `data`. */
const ADDRESSES = ['dns.a', 'dns.aaaa']
const flag = (on: 'request' | 'response', name: string, theirs: string) => ({
  on,
  theirs: (nodes: readonly Shown[]) => (findAll(nodes, theirs)[0]?.show === '1' ? name : undefined),
  ours: ({ call }: OurMessage) => {
    const flags = call[on]?.flags
    return Array.isArray(flags) && flags.includes(name) ? name : undefined
  },
})

/** The messages of a zone transfer are one answer to us. */
export const dns: Mapping = {
  protocol: 'dns',
  dissector: 'dns',
  read: (packets) =>
    joinHalves(
      readLayers(packets, 'dns', {
        asked: 'dns.response_to',
        keep: (layer) => findAll([layer], 'dns.id').length > 0,
      }),
      (message, before) => message.asked !== undefined && message.asked === before.asked,
    ),
  fields: {
    id: { on: 'request', theirs: decimal('dns.id'), ours: 'dns.id' },
    name: { on: 'request', theirs: 'dns.qry.name', ours: 'path' },
    type: {
      on: 'request',
      theirs: (nodes) => findAll(nodes, 'dns.qry.type').map(typeName)[0],
      ours: 'method',
    },
    recursion_desired: flag('request', 'rd', 'dns.flags.recdesired'),
    authenticated: flag('request', 'ad', 'dns.flags.authenticated'),
    rcode: {
      on: 'response',
      theirs: (nodes) => RCODES[Number(findAll(nodes, 'dns.flags.rcode')[0]?.show)],
      ours: 'status',
    },
    authoritative: flag('response', 'aa', 'dns.flags.authoritative'),
    truncated: flag('response', 'tc', 'dns.flags.truncated'),
    recursion_available: flag('response', 'ra', 'dns.flags.recavail'),
    answers: {
      on: 'response',
      theirs: section('Answers', typeName, 'dns.resp.type'),
      ours: (message) => records(message, 'answers', 'type'),
    },
    answer_names: {
      on: 'response',
      theirs: (nodes) =>
        someOf(
          sections(nodes, 'Answers').flatMap(({ children }) =>
            children.map(({ show }) => show.split(': type')[0]),
          ),
        ),
      ours: (message) => records(message, 'answers', 'name'),
    },
    ttls: {
      on: 'response',
      theirs: section('Answers', shown, 'dns.resp.ttl'),
      ours: (message) => records(message, 'answers', 'ttl'),
    },
    authorities: {
      on: 'response',
      theirs: section('Authoritative nameservers', typeName, 'dns.resp.type'),
      ours: (message) => records(message, 'authorities', 'type'),
    },
    addresses: {
      on: 'response',
      theirs: (nodes) =>
        someOf(
          sections(nodes, 'Answers')
            .flatMap((one) => ADDRESSES.flatMap((name) => findAll([one], name).map(shown)))
            .sort(),
        ),
      ours: (message) => {
        const list = own(message, 'answers')
        if (!Array.isArray(list)) return undefined
        return someOf(
          list
            .filter(({ type }) => type === 'A' || type === 'AAAA')
            .map(({ data }) => String(data))
            .sort(),
        )
      },
    },
  },
}

function shown({ show }: Shown): string {
  return show
}

function sections(nodes: readonly Shown[], title: string): Shown[] {
  return nodes.flatMap(({ children }) => children).filter(({ name, show }) => name === '' && show === title)
}

/** Of every record of a section. */
function section(title: string, shape: (field: Shown) => string, name: string) {
  return (nodes: readonly Shown[]) =>
    someOf(
      sections(nodes, title)
        .flatMap(({ children }) => children.flatMap((record) => findAll([record], name).slice(0, 1)))
        .map(shape),
    )
}

/** RFC 1035 §4.1.1, RFC 2136 §2.2 */
const RCODES = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
]
