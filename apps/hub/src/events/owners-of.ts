import { readFileSync } from 'node:fs'
import { eachLine, fromLine, Owners } from '@tapdeck/recording'

/** Who owned which connection, by a file of events; without one, or if it cannot be read, no owner is known. */
export function ownersOf(path: string | undefined): Owners {
  const owners = new Owners()
  const text = path === undefined ? undefined : readIfThere(path)
  if (text)
    eachLine(text, (start, end) => {
      const event = fromLine(text, start, end)
      if (event) owners.learn(event)
    })
  return owners
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
