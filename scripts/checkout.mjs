import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this checkout, wherever the command was called from. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** One short line of progress. Standard output belongs to the command that is run afterwards. */
export function say(line) {
  process.stderr.write(`${line}\n`)
}

/** A fingerprint of files and folders by name, size and time of change: cheap enough for every start. */
export function fingerprint(paths, isWanted) {
  const hash = createHash('sha256')
  const visit = (path) => {
    const entry = statSync(path)
    if (entry.isDirectory()) {
      for (const name of readdirSync(path).sort()) if (name !== 'node_modules') visit(join(path, name))
    } else if (isWanted(path)) hash.update(`${path}\0${entry.size}\0${entry.mtimeMs}\n`)
  }
  for (const path of paths) visit(join(root, path))
  return hash.digest('hex')
}
