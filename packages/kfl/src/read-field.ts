import { derive } from './derive.ts'
import type { CatalogField } from './field.ts'
import { type Read, readPath } from './read-path.ts'

/** A reader of a catalog field, with its fallbacks, members and derivation. Absent is undefined or null. */
export function readField(field: CatalogField): Read {
  const read = readUngated(field)
  const protocols = gateOf(field)
  if (!protocols) return read
  const proto = readPath('proto')
  return (call) => (protocols.includes(String(proto(call))) ? read(call) : undefined)
}

/**
 * The protocols whose calls alone have the field, where its path does not say so already: `status_code` is HTTP's,
 * though it is read from the status that calls of every protocol have.
 */
export function gateOf(field: CatalogField): readonly string[] | undefined {
  const { protocols } = field
  if (!protocols) return undefined
  const own = fieldPaths(field).every((path) => protocols.some((protocol) => path.startsWith(`${protocol}.`)))
  // `tcp` holds the measurements of every call over TCP.
  return own && !protocols.includes('tcp') ? undefined : protocols
}

function readUngated(field: CatalogField): Read {
  if (field.members) return readMembers(field.members.map(readPath))
  if (field.entries) return readEntries(field.entries)
  const own = readPath(field.path)
  if (field.derive) return derive(field.derive, own)
  if (!field.fallbacks) return own
  const reads = [own, ...field.fallbacks.map(readPath)]
  return (call) => {
    for (const read of reads) {
      const value = read(call)
      if (value !== undefined && value !== null) return value
    }
    return undefined
  }
}

function readMembers(reads: readonly Read[]): Read {
  return (call) => {
    const values = reads.map((read) => read(call)).filter((value) => value !== undefined && value !== null)
    return values.length > 0 ? values : undefined
  }
}

function readEntries(entries: Readonly<Record<string, string>>): Read {
  const reads = Object.entries(entries).map(([key, path]) => [key, readPath(path)] as const)
  return (call) => {
    const found = reads
      .map(([key, read]) => [key, read(call)] as const)
      .filter(([, value]) => value !== undefined && value !== null)
    return found.length > 0 ? Object.fromEntries(found) : undefined
  }
}

/** Every path of a call that reading the field may touch. */
export function fieldPaths(field: CatalogField): readonly string[] {
  if (field.entries) return Object.values(field.entries)
  return field.members ?? [field.path, ...(field.fallbacks ?? [])]
}
