import type { ShownRecords } from './records.ts'

/** Keys of records that are listed of one call. */
const MAX_KEYS = 100

/** Different keys of the records in bodies that were read; undefined where there is none. */
export function keysOf(...bodies: readonly unknown[]): string[] | undefined {
  const keys = new Set<string>()
  for (const body of bodies)
    for (const topic of listIn(body, 'topics'))
      for (const { records } of listIn(topic, 'partitions') as readonly { readonly records?: ShownRecords }[])
        for (const { key } of records?.list ?? []) if (key !== null && keys.size < MAX_KEYS) keys.add(key)
  return keys.size === 0 ? undefined : [...keys]
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = (value as Readonly<Record<string, unknown>> | undefined)?.[name]
  return Array.isArray(list) ? list : []
}
