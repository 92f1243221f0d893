import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, say } from './checkout.mjs'
import { slowWords, wordFolders } from './slow-words.mjs'

/**
 * Lists the words of a folder that `words.test.ts` counts (`npm run words packages/wire`). Without a folder, lowers the
 * recorded counts to what there is; it never raises one.
 */
const [folder] = process.argv.slice(2)
if (folder) for (const finding of slowWords(folder)) console.log(finding)
else {
  const file = join(root, 'scripts', 'words.json')
  const before = JSON.parse(readFileSync(file, 'utf8'))
  const counts = wordFolders().map((name) => [name, Math.min(before[name] ?? 0, slowWords(name).length)])
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(counts), undefined, 2)}\n`)
  say(`${counts.reduce((sum, [, count]) => sum + count, 0)} words left, in scripts/words.json`)
}
