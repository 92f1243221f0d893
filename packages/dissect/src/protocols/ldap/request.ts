import type { BerReader } from './ber.ts'
import { ENUMERATED, type Envelope, INTEGER, OCTETS, SEQUENCE } from './envelope.ts'
import { readFilter } from './filter.ts'
import { ALIASES, CHANGES, oidName, SCOPES } from './names.ts'
import { OP } from './operation.ts'

const SET = 0x31
const BOOLEAN = 0x01
const SASL = 0xa3

/** What a request names: a DN, or what an extended operation is called. */
export function subjectOf({ tag, op }: Envelope): string {
  switch (tag) {
    case OP.delRequest:
      return op.text()
    case OP.bindRequest: {
      const bind = op.inside()
      return bind.take(INTEGER) && bind.take(OCTETS) ? bind.text() : ''
    }
    case OP.extendedReq: {
      const extended = op.inside()
      return extended.take(0x80) ? oidName(extended.text()) : ''
    }
    case OP.abandonRequest:
    case OP.unbindRequest:
      return ''
    default: {
      const inside = op.inside()
      return inside.take(OCTETS) ? inside.text() : ''
    }
  }
}

/** All that a request says besides its subject. */
export function readRequest({ tag, op }: Envelope): Record<string, unknown> {
  const inside = op.inside()
  switch (tag) {
    case OP.bindRequest:
      return readBind(inside)
    case OP.searchRequest:
      return readSearch(inside)
    case OP.modifyRequest:
      return inside.take(OCTETS) && inside.take(SEQUENCE) ? { changes: readChanges(inside.inside()) } : {}
    case OP.addRequest:
      return inside.take(OCTETS) && inside.take(SEQUENCE)
        ? { attributes: readAttributes(inside.inside()) }
        : {}
    case OP.modDNRequest:
      return readRename(inside)
    case OP.compareRequest: {
      if (!inside.take(OCTETS) || !inside.take(SEQUENCE)) return {}
      const pair = inside.inside()
      return {
        attribute: pair.take(OCTETS) ? pair.text() : undefined,
        value: pair.take(OCTETS) ? pair.value() : undefined,
      }
    }
    case OP.extendedReq:
      return inside.take(0x80) ? { oid: inside.text() } : {}
    case OP.abandonRequest:
      return { abandoned_id: op.number() }
    default:
      return {}
  }
}

function readBind(bind: BerReader): Record<string, unknown> {
  const version = bind.take(INTEGER) ? bind.number() : undefined
  if (!bind.take(OCTETS) || !bind.next()) return { version }
  if (bind.tag !== SASL) return { version, auth: bind.to === bind.from ? 'anonymous' : 'simple' }
  const sasl = bind.inside()
  return { version, auth: sasl.take(OCTETS) ? `SASL ${sasl.text()}` : 'SASL' }
}

function readSearch(search: BerReader): Record<string, unknown> {
  search.take(OCTETS)
  const shown: Record<string, unknown> = {}
  if (search.take(ENUMERATED)) shown.scope = SCOPES[search.number()] ?? String(search.number())
  if (search.take(ENUMERATED)) shown.aliases = ALIASES[search.number()] ?? String(search.number())
  if (search.take(INTEGER)) shown.size_limit = search.number()
  if (search.take(INTEGER)) shown.time_limit = search.number()
  if (search.take(BOOLEAN)) shown.types_only = search.boolean()
  if (search.next()) shown.filter = readFilter(search)
  if (search.take(SEQUENCE)) shown.attributes = texts(search.inside())
  return shown
}

function readRename(rename: BerReader): Record<string, unknown> {
  rename.take(OCTETS)
  return {
    new_rdn: rename.take(OCTETS) ? rename.text() : undefined,
    delete_old_rdn: rename.take(BOOLEAN) ? rename.boolean() : undefined,
    new_superior: rename.take(0x80) ? rename.text() : undefined,
  }
}

function readChanges(list: BerReader): Record<string, unknown>[] {
  const changes: Record<string, unknown>[] = []
  while (list.take(SEQUENCE)) {
    const change = list.inside()
    const operation = change.take(ENUMERATED) ? (CHANGES[change.number()] ?? String(change.number())) : '?'
    for (const [attribute, values] of Object.entries(readAttributes(change)))
      changes.push({ operation, attribute, values })
  }
  return changes
}

/** Names and values of the attributes that stand one after the other. */
export function readAttributes(list: BerReader): Record<string, string[]> {
  const attributes = new Map<string, string[]>()
  while (list.take(SEQUENCE)) {
    const attribute = list.inside()
    if (!attribute.take(OCTETS)) continue
    const name = attribute.text()
    attributes.set(name, attribute.take(SET) ? values(attribute.inside()) : [])
  }
  return Object.fromEntries(attributes)
}

function values(set: BerReader): string[] {
  const all: string[] = []
  while (set.take(OCTETS)) all.push(set.value())
  return all
}

export function texts(list: BerReader): string[] {
  const all: string[] = []
  while (list.take(OCTETS)) all.push(list.text())
  return all
}
