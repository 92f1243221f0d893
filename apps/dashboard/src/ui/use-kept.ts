import { useState } from 'react'

/** A choice of this browser that survives a reload. A value that `read` refuses, or a browser without storage, gives `otherwise`. */
export function useKept<Value>(
  key: string,
  otherwise: Value,
  read: (value: unknown) => Value | undefined,
): readonly [Value, (value: Value) => void] {
  const [value, setValue] = useState(() => load(key, read) ?? otherwise)
  const keep = (next: Value) => {
    setValue(next)
    try {
      localStorage.setItem(`tapdeck.${key}`, JSON.stringify(next))
    } catch {
      // A browser that stores nothing forgets it at the next visit.
    }
  }
  return [value, keep]
}

function load<Value>(key: string, read: (value: unknown) => Value | undefined): Value | undefined {
  try {
    return read(JSON.parse(localStorage.getItem(`tapdeck.${key}`) ?? 'null'))
  } catch {
    return undefined
  }
}
