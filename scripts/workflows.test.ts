import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readYaml } from '@tapdeck/config'
import { describe, expect, it } from 'vitest'
import { publishSteps } from './release/publish-steps.mjs'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}
interface Job {
  readonly 'runs-on': string
  readonly 'timeout-minutes'?: number
  readonly needs?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> }
  readonly steps: readonly Step[]
}
interface Workflow {
  readonly on: object
  readonly permissions?: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

const root = resolve(import.meta.dirname, '..')
const folder = join(root, '.github', 'workflows')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>
}
const workflows = readdirSync(folder).map((file) => {
  const text = readFileSync(join(folder, file), 'utf8')
  return { file, text, workflow: readYaml(file, text) as unknown as Workflow }
})
/** What is not a script of this repository: the checkout itself, and what only the host can do. */
const actions = [
  'actions/checkout',
  'actions/setup-node',
  'actions/upload-artifact',
  'actions/download-artifact',
  'actions/attest-build-provenance',
  'github/codeql-action/init',
  'github/codeql-action/analyze',
  'sigstore/cosign-installer',
]

function isOwnScript(command: string): boolean {
  const program = command.replace(/^sudo (--\S+ )*/, '').split(' ')
  if (program[0] !== 'npm') return existsSync(join(root, program[0]!))
  return (program[1] === 'run' ? program[2]! : program[1]!) in scripts
}

describe.each(workflows)('the workflow $file', ({ text, workflow }) => {
  const jobs = Object.entries(workflow.jobs)
  const steps = jobs.flatMap(([, job]) => job.steps)

  it('runs scripts of this repository, which run on any machine, and known actions', () => {
    expect(steps.filter(({ run }) => run !== undefined && !isOwnScript(run))).toEqual([])
    const used = steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]))
    expect(used.filter((one) => !/@v\d+$/.test(one) || !actions.includes(one.split('@')[0]!))).toEqual([])
    expect(steps.filter((step) => (step.run === undefined) === (step.uses === undefined))).toEqual([])
  })

  it('puts no text of others into a command', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([])
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target')
  })

  it('may only read, where a job does not name its rights; its checkout keeps no token', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    expect(checkouts.filter((one) => one.with?.['persist-credentials'] !== false)).toEqual([])
  })

  it('has jobs with a limit of time, whose references exist', () => {
    const names = Object.keys(workflow.jobs)
    expect(jobs.filter(([, job]) => !job['timeout-minutes'] || !job['runs-on'])).toEqual([])
    expect(jobs.filter(([, { needs }]) => needs !== undefined && !names.includes(needs))).toEqual([])
    for (const [, job] of jobs) {
      const used = [...JSON.stringify(job).matchAll(/\$\{\{ matrix\.(\w+) \}\}/g)].map(([, name]) => name!)
      expect(used.filter((name) => !(name in (job.strategy?.matrix ?? {})))).toEqual([])
    }
    expect(text).not.toMatch(/\t| $/m)
  })
})

const workflow = (file: string) => workflows.find((one) => one.file === file)!.workflow

it('CI tests on amd64 and on arm64', () => {
  for (const job of ['test', 'suites'])
    expect(workflow('ci.yml').jobs[job]!.strategy!.matrix.runner).toEqual([
      'ubuntu-24.04',
      'ubuntu-24.04-arm',
    ])
})

it('a release is checked, built twice and published to every destination, the announcement last', () => {
  const { pack, publish } = workflow('release.yml').jobs
  const runs = (job: Job) => job.steps.flatMap(({ run }) => (run === undefined ? [] : [run]))
  expect(runs(pack!)).toEqual(['npm run release:check -- "$GITHUB_REF_NAME"', 'npm run release:verify'])
  const published = runs(publish!).flatMap((one) => /release:publish -- (\w+)/.exec(one)?.[1] ?? [])
  expect([...published].sort()).toEqual(Object.keys(publishSteps).sort())
  expect(published.at(-1)).toBe('github')
  expect(Object.keys(workflow('release.yml').on)).toEqual(['push'])
})

it('dependencies of npm and of the workflows are kept up to date', () => {
  const text = readFileSync(join(root, '.github', 'dependabot.yml'), 'utf8')
  const { updates } = readYaml('dependabot.yml', text) as unknown as {
    updates: readonly { 'package-ecosystem': string; directory: string }[]
  }
  expect(updates.map((one) => one['package-ecosystem'])).toEqual(['npm', 'github-actions'])
})
