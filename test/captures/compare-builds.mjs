// Compares what two checkouts make of the same captures: the lines of `tapdeck dissect` byte for byte, and the fields of filters.
//   node test/captures/compare-builds.mjs BEFORE AFTER [FOLDER…]   folders of captures; default: those of AFTER
//   --only WORD      only captures with WORD in their path
//   --speed ROUNDS   instead: processor time of `--format summary` and `ndjson` for each capture, in turns (run it with `taskset`)
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, speed: { type: 'string' } },
})
const [before, after, ...folders] = positionals.map((path) => resolve(path))
if (after === undefined) throw new Error('Name two checkouts: the one before, and the one after')
const CAPTURE = /\.(pcap|pcapng|cap)$/

/** Runs in each checkout: one process for all captures, because starting takes longer than dissecting. */
const RUN = `
import { writeFileSync } from 'node:fs'
import { fullCatalog } from './apps/cli/src/dissect/filter-option.ts'
import { dissect } from './apps/cli/src/commands/dissect.ts'
import { runCommand } from './apps/cli/src/run-command.ts'
const [folder, format, ...captures] = process.argv.slice(2)
for (const [index, capture] of captures.entries()) {
  const parts = []
  const out = async (text) => void parts.push(Buffer.from(text))
  const terminal = { out, note() {}, status() {}, isScreen: false, width: 80, noteIsScreen: false, hasColour: false }
  const args = ['dissect', capture, '--format', format, '--credentials', 'keep', '--threads', '1']
  await runCommand([dissect], args, terminal, {})
  if (format === 'ndjson') writeFileSync(folder + '/' + index, Buffer.concat(parts))
}
writeFileSync(folder + '/fields', fullCatalog().fields.map((field) => JSON.stringify(field)).join('\\n'))
console.log(process.cpuUsage().user / 1e6)
`

const captures = (folders.length > 0 ? folders : [join(after, 'packages')])
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((path) => CAPTURE.test(path) && path.includes(values.only) && !path.includes('node_modules'))
  .toSorted()
if (captures.length === 0) throw new Error('No captures there')
const work = mkdtempSync(join(tmpdir(), 'compare-builds-'))
try {
  const [was, is] = [await prepare(before, 'before'), await prepare(after, 'after')]
  if (values.speed === undefined) compare(was, is)
  else measure(was, is, Number(values.speed))
} finally {
  rmSync(work, { recursive: true })
}

async function prepare(checkout, name) {
  const bundles = await import(pathToFileURL(join(checkout, 'scripts/bundles.mjs')).href)
  const { build } = await import('esbuild')
  const folder = mkdtempSync(join(work, name))
  const script = join(folder, 'run.mjs')
  const stdin = { contents: RUN, resolveDir: checkout, loader: 'ts' }
  await build({ ...bundles.nodeSettings, absWorkingDir: checkout, stdin, outfile: script })
  return { checkout, folder, script }
}

/** Dissects and returns the seconds of the processor that it took. */
function run({ folder, script }, format, files) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, folder, format, ...files], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return Number(stdout)
}

function compare(was, is) {
  for (const build of [was, is]) run(build, 'ndjson', captures)
  let calls = 0
  const problems = captures.flatMap((capture, index) => {
    const [old, now] = [was, is].map(({ folder }) => linesOf(join(folder, String(index))))
    calls += now.length - 1
    const at = now.findIndex((line, number) => line !== old[number])
    if (at < 0 && now.length === old.length) return []
    return [
      `${capture}, line ${at + 1} of ${now.length - 1}, ${old.length - 1} before\n- ${old[at]}\n+ ${now[at]}`,
    ]
  })
  problems.push(...changes('field', was, is, ({ folder }) => join(folder, 'fields')))
  problems.push(...changes('page of fields', was, is, ({ checkout }) => join(checkout, 'docs/kfl-fields.md')))
  for (const problem of problems) console.log(problem)
  console.log(`${captures.length} captures, ${calls} calls, ${problems.length} differences`)
  process.exitCode = problems.length > 0 ? 1 : 0
}

/** Lines of a list. Their order follows the messages of a protocol, and may change. */
function changes(what, was, is, place) {
  const [old, now] = [was, is].map((build) => linesOf(place(build)).toSorted())
  return old.join('\n') === now.join('\n')
    ? []
    : [
        ...old.filter((line) => !now.includes(line)).map((line) => `- ${what}: ${line}`),
        ...now.filter((line) => !old.includes(line)).map((line) => `+ ${what}: ${line}`),
        `${what}: ${now.length} lines, ${old.length} before`,
      ]
}

function linesOf(path) {
  return readFileSync(path, 'utf8').split('\n')
}

function measure(was, is, rounds) {
  for (const capture of captures)
    for (const format of ['summary', 'ndjson']) {
      const times = [[], []]
      for (let round = 0; round < rounds; round++)
        for (const [index, build] of [was, is].entries()) times[index].push(run(build, format, [capture]))
      const [old, now] = times.map((all) => all.toSorted((a, b) => a - b)[rounds >> 1])
      console.log(
        `${format.padEnd(8)} ${old.toFixed(2)} s → ${now.toFixed(2)} s: ${(now / old).toFixed(3)} times  ${capture}`,
      )
    }
}
