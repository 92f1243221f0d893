import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../checkout.mjs'
import { packArchive } from './pack-archive.mjs'
import { programFiles } from './program-files.mjs'

/** A package that is larger takes too long to install. */
const MAX_BYTES = 60e6

/** The npm package as npm's own archive: `npm install -g` and `npx` take it as a file, and `npm publish` as it is. */
export function npmPackage() {
  const readme = { path: 'README.md', mode: 0o644, content: readFileSync(join(root, 'README.md')) }
  const archive = packArchive([...programFiles(), readme], 'package')
  if (archive.length > MAX_BYTES)
    throw new Error(`The npm package has ${archive.length} bytes; at most ${MAX_BYTES} are allowed.`)
  return archive
}
