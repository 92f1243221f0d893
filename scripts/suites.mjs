import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root, say } from './checkout.mjs'

/** Counts of one suite, or of all together. */
export const nothing = { passed: 0, failed: 0, skipped: 0 }

export function add(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}

export function sumLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

/** A check that either holds or does not: its output is shown only where it does not. */
export async function runCheck(title, command, args) {
  const { status, output, seconds } = await run(command, args, { quiet: true })
  say(`${status === 0 ? 'ok    ' : 'FAILED'} ${title} (${seconds} s)`)
  if (status !== 0) say(output.trimEnd())
  return status === 0 ? { ...nothing, passed: 1 } : { ...nothing, failed: 1 }
}

/** A suite of vitest with its own counts; `words` select files by their path. Skipped tests are named. */
export async function runVitest(title, config, { env = {}, words = [], node = process.execPath } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-tests-'))
  const report = join(folder, 'report.json')
  const args = [
    bin('vitest/vitest.mjs'),
    ...['run', '--config', config, ...words],
    ...['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`],
  ]
  const { status, seconds } = await run(node, args, { env })
  const counts = readReport(report, status)
  rmSync(folder, { recursive: true })
  say(`${counts.failed === 0 ? 'ok    ' : 'FAILED'} ${title}: ${sumLine(counts)} (${seconds} s)`)
  return counts
}

/** Prints the counts as the last line and sets the exit status. */
export function finish(counts) {
  process.stdout.write(`${sumLine(counts)}\n`)
  process.exitCode = counts.failed > 0 ? 1 : 0
}

/** A program of an installed package. */
export function bin(path) {
  return join(root, 'node_modules', path)
}

function readReport(file, status) {
  let report
  try {
    report = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { ...nothing, failed: 1 }
  }
  const tests = report.testResults.flatMap((one) => one.assertionResults)
  const count = (...states) => tests.filter((one) => states.includes(one.status)).length
  for (const { name, assertionResults } of report.testResults) {
    const skipped = assertionResults.filter((one) => one.status !== 'passed' && one.status !== 'failed')
    if (skipped.length === 0) continue
    const more = skipped.length > 1 ? ` and ${skipped.length - 1} more` : ''
    say(`skipped in ${relative(root, name)}: ${skipped[0].fullName}${more}`)
  }
  // A file that cannot even be loaded has no tests to fail, and a run may fail beside its tests.
  const broken = report.testResults.filter(
    (one) => one.status === 'failed' && one.assertionResults.length === 0,
  )
  const failed = count('failed') + broken.length
  return {
    passed: count('passed'),
    failed: failed === 0 && status !== 0 ? 1 : failed,
    skipped: tests.length - count('passed', 'failed'),
  }
}

/** Runs a command to its end; `quiet` keeps its output instead of showing it. */
export function run(command, args, { quiet = false, env = {} } = {}) {
  const started = performance.now()
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...(process.stderr.isTTY ? {} : { NO_COLOR: '1', FORCE_COLOR: '0' }), ...env },
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
    const end = (status) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      resolve({ status, output, seconds })
    }
    child.once('error', (error) => {
      output += error.message
      end(1)
    })
    child.once('close', (code) => end(code ?? 1))
  })
}
