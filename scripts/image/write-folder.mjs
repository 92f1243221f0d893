import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Writes the files of an image's layers below a folder, which is emptied before: what `deploy/Containerfile` copies. */
export function writeFolder(target, layers) {
  rmSync(target, { recursive: true, force: true })
  for (const { path, mode, content } of layers.flatMap(({ entries }) => entries)) {
    const file = join(target, path)
    mkdirSync(path.endsWith('/') ? file : dirname(file), { recursive: true })
    if (!path.endsWith('/')) writeFileSync(file, content)
    chmodSync(file, mode)
  }
}
