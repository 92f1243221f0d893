import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'

/** What a browser loads before it shows the list of calls, gzipped. */
const MAX_FIRST_LOAD_KB = 350

/** The files of the page with their size as they are sent: those of the first load, and those that come when a view is opened. */
export function pageWeight({ metafile, outputFiles }, entryPoint) {
  const { outputs } = metafile
  const first = new Set()
  const follow = (path) => {
    if (!outputs[path] || first.has(path)) return
    first.add(path)
    for (const { path: next, kind } of outputs[path].imports) if (kind !== 'dynamic-import') follow(next)
    if (outputs[path].cssBundle) follow(outputs[path].cssBundle)
  }
  for (const [path, output] of Object.entries(outputs)) if (output.entryPoint === entryPoint) follow(path)
  return outputFiles
    .map(({ path, contents }) => ({
      name: basename(path),
      isFirst: [...first].some((one) => basename(one) === basename(path)),
      gzipped: gzipSync(contents).length,
    }))
    .sort((a, b) => Number(b.isFirst) - Number(a.isFirst) || b.gzipped - a.gzipped)
}

/** The size of the first load in KB. Throws where it is too large. */
export function firstLoadKb(files) {
  const kb = Math.round(files.reduce((sum, { isFirst, gzipped }) => sum + (isFirst ? gzipped : 0), 0) / 1024)
  if (kb > MAX_FIRST_LOAD_KB)
    throw new Error(
      `The first load of the page is ${kb} KB gzipped; at most ${MAX_FIRST_LOAD_KB} KB are allowed. Load what a view needs when it is opened: import() in apps/dashboard/src/app.tsx.`,
    )
  return kb
}
