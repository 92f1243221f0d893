import { statSync } from 'node:fs'
import { join } from 'node:path'

/** The name cannot be guessed: a worker that finds the folder has the same disk as the hub that made it. */
const NAME = /^\.hand-over-[0-9a-f-]{36}$/

/** The folder of that name that a hub made in `parent`; undefined if it is not visible here. */
export function sharedFolder(parent: string, name: string): string | undefined {
  if (!NAME.test(name)) return undefined
  const path = join(parent, name)
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : undefined
}
