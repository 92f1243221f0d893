import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import wabt from 'wabt'
import { root } from './checkout.mjs'

/** All sources in the text format of WebAssembly. */
export function watSources() {
  return ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((path) => path.endsWith('.wat') && !path.includes('node_modules'))
      .map((path) => join(root, folder, path)),
  )
}

/** The compiled code of a source: in the repository, so that no compiler is needed to build or run. */
export function moduleOf(source) {
  return source.replace(/\.wat$/, '.wasm.ts')
}

/** The module with the code of a source. */
export async function compiled(source) {
  const { parseWat } = await wabt()
  const parsed = parseWat(source, readFileSync(source, 'utf8'), { simd: true })
  try {
    parsed.resolveNames()
    parsed.validate()
    const code = Buffer.from(parsed.toBinary({}).buffer).toString('base64')
    const name = source.slice(source.lastIndexOf('/') + 1)
    return `/** The code of ${name}: \`npm run wasm\` writes it. */\nexport default '${code}'\n`
  } finally {
    parsed.destroy()
  }
}
