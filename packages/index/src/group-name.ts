import { type GroupName, NS_SEPARATOR } from '@tapdeck/questions'

/** Whether the namespace follows the name of a group. */
interface NamedGroup {
  readonly hasNs?: boolean
}

/** What the database calls a group. Names have no such character in them; paths and other words of the traffic may. */
export function nameOfGroup({ hasNs }: NamedGroup, text: string): GroupName {
  const at = hasNs ? text.lastIndexOf(NS_SEPARATOR) : -1
  return at < 0 ? { group: text } : { group: text.slice(0, at), ns: text.slice(at + NS_SEPARATOR.length) }
}

/** How the database writes the name of a group. */
export function textOfGroup({ hasNs }: NamedGroup, { group, ns }: GroupName): string {
  return hasNs && ns !== undefined ? `${group}${NS_SEPARATOR}${ns}` : group
}
