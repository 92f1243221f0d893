import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** A name, or those that something is taken apart into. */
const DECLARATION = /^var ([\w$]+|\{[^{}=]+\}|\[[^[\]=]+\]) = /
/** What stands above each module in a bundle. */
const MODULE = /^\/\/ (\S+)$/
const OURS = /^(?:apps|packages|bench|test)\//

/**
 * The bundler makes `var` of each `const` of a module. The compiler of V8 then takes every number, function and class that has a
 * name there for something that may change: it loads and checks it each time, and neither folds it nor knows what it calls.
 * This gives our own modules their `const` back, which makes a dissection faster by a tenth.
 */
export const steadyNames = {
  name: 'steady-names',
  setup(build) {
    const { write } = build.initialOptions
    build.initialOptions.write = false
    /** By path: a build that is repeated takes over what did not change. */
    const done = new Map()
    build.onEnd(async ({ outputFiles = [] }) => {
      const scripts = outputFiles.filter(({ path }) => !path.endsWith('.map'))
      const changed = scripts.filter(({ path, hash }) => done.get(path)?.hash !== hash)
      await Promise.all(changed.map((file) => steady(file, build.esbuild.build)))
      for (const { path, hash, contents } of changed) done.set(path, { hash, contents })
      for (const file of scripts) file.contents = done.get(file.path).contents
      if (write === false) return
      for (const { path, contents } of outputFiles) {
        if (scripts.some((file) => file.path === path) && !changed.some((file) => file.path === path))
          continue
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, contents)
      }
    })
  },
}

async function steady(file, bundle) {
  const lines = file.text.split('\n')
  const places = declarations(lines)
  const names = await settled(lines, places, bundle)
  for (const { at, declared } of places)
    if (declared.every((name) => names.has(name))) lines[at] = lines[at].replace('var', 'const')
  file.contents = new TextEncoder().encode(lines.join('\n'))
}

/** Lines that look like a declaration at the top level of our own modules, and what they declare. */
function declarations(lines) {
  const places = []
  let isOurs = false
  for (const [at, line] of lines.entries()) {
    const [, path] = MODULE.exec(line) ?? []
    if (path !== undefined) isOurs = OURS.test(path)
    const [, pattern] = (isOurs && DECLARATION.exec(line)) || []
    if (pattern !== undefined) places.push({ at, declared: namesIn(pattern) })
  }
  return places
}

/** Of `{ set, words: words2 }` it is `set` and `words2`. */
function namesIn(pattern) {
  return pattern.match(/[\w$]+(?=\s*(?:[,}\]]|$))/g) ?? []
}

/**
 * What of these is never given another value. Only declarations at the top level, not in a multi-line text,
 * can be exported; and the bundler reports each constant that is assigned to.
 */
async function settled(lines, places, bundle) {
  const tried = [...lines]
  for (const { at } of places) tried[at] = `export ${lines[at].replace('var', 'const')}`
  const { metafile, warnings } = await bundle({
    stdin: { contents: tried.join('\n').replace(/^export \{[^}]*\};?$/gm, ''), loader: 'js' },
    format: 'esm',
    platform: 'node',
    metafile: true,
    write: false,
    logLevel: 'silent',
    logLimit: 0,
  })
  const [output] = Object.values(metafile.outputs)
  const names = new Set(output.exports)
  const seen = new Set()
  for (const { declared } of places)
    for (const name of declared) {
      // If there are two, one is inside of a text.
      if (seen.has(name)) names.delete(name)
      seen.add(name)
    }
  for (const { id, text } of warnings)
    if (id === 'assign-to-constant') names.delete(/"([^"]+)"/.exec(text)[1])
  return names
}
