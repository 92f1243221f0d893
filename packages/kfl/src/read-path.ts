type Holder = { readonly [key: string]: unknown } | null | undefined

export type Read = (call: object) => unknown

/** A reader of one path of a call. It touches nothing else, so lazy parts of a call stay unread. */
export function readPath(path: string): Read {
  const keys = path.split('.')
  const [a, b, c] = keys
  if (keys.length === 1) return (call) => (call as Holder)?.[a]
  if (keys.length === 2) return (call) => ((call as Holder)?.[a] as Holder)?.[b]
  if (keys.length === 3) return (call) => (((call as Holder)?.[a] as Holder)?.[b] as Holder)?.[c]
  return (call) => {
    let at: unknown = call
    for (const key of keys) at = (at as Holder)?.[key]
    return at
  }
}
