import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'

/** Compiles the sources in the text format of WebAssembly. A test says when their code is out of date. */
await ensureInstalled()
const { compiled, moduleOf, watSources } = await import('./wat.mjs')
for (const source of watSources()) {
  writeFileSync(moduleOf(source), await compiled(source))
  say(relative(root, moduleOf(source)))
}
