import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './checkout.mjs'

/** Words that make readers slow, each with what to write instead. */
const rules = [
  [/\b(?:whoever|whomever|whosoever)\b/gi, 'name the actor: the caller, the writer, the reader'],
  [/\bunless (?:said|told|given)\b/gi, 'by default; default: 10'],
  [/\b(?:is|are|was|were|be|been) told\b/gi, 'is reported, returned, emitted, logged'],
  [/\b(?:tell|tells|telling) (?:of|how|what|which|whether|where|when|who|why)\b/gi, 'says, reports, shows'],
  [/\b(?:nobody|anybody|somebody|everybody)\b/gi, 'name the actor; no caller, any caller'],
  [
    /\b(?:stand|stands|standing|stood) (?:in|at|on|beside|behind|before|between|there|where)\b/gi,
    'is in, is next to',
  ],
  [/\bin vain\b/gi, 'without result'],
  [/\bone's own\b/gi, 'own'],
  [/\b(?:wherein|thereof|therein|hitherto|henceforth)\b/gi, 'rewrite the sentence'],
  // Pictures instead of trade words, alone or as a part of a name.
  [/\b(?:house|houses|desk|desks|crew|crews|shelf|shelves|sieve|sieves|sheaf)\b/gi, 'the trade word'],
  [/\b(?:rooms|shadow|footing|burden|farewell|homeless|stranger|strangers)\b/gi, 'the trade word'],
  [/(?:(?<=[a-z])|\b)(?:Desk|Crew|Shelf|Sieve|Sheaf|Shadow|Footing|Burden)(?=[A-Z])/g, 'the trade word'],
  [/(?<=[a-z])(?:Desk|Crew|Shelf|Sieve|Sheaf|Shadow|Footing|Burden)s?\b/g, 'the trade word'],
  [/\b(?:MOST|LONGEST|LARGEST)_[A-Z_]+\b/g, 'MAX_*'],
]

/** These name the words. */
const exempt = ['scripts/slow-words.mjs', 'scripts/words.test.ts']

/** All packages and apps, and the other folders with text; `.` is the files at the top. */
export function wordFolders() {
  const below = (parent) =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${parent}/${entry.name}`)
  return [...below('packages'), ...below('apps'), 'bench', 'docs', 'scripts', 'test', '.']
}

/** `file:line: word (write: advice)` for each slow word below a folder. */
export function slowWords(folder) {
  return textsOf(folder).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        rules.flatMap(([pattern, advice]) =>
          [...line.matchAll(pattern)].map(([word]) => `${file}:${at + 1}: "${word}" (write: ${advice})`),
        ),
      ),
  )
}

function textsOf(folder) {
  return readdirSync(join(root, folder), { recursive: folder !== '.', encoding: 'utf8' })
    .filter((file) => /\.(?:tsx?|m[jt]s|wat|md)$/.test(file))
    .filter((file) => !/\.wasm\.ts$|node_modules|(?:^|\/)dist\//.test(file))
    .map((file) => (folder === '.' ? file : `${folder}/${file}`))
    .filter((file) => !exempt.includes(file))
}
