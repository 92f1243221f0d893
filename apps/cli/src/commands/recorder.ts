import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { recorderName } from '@tapdeck/api'
import { apiToken, tokenFolder } from '@tapdeck/api/credentials'
import { parseDuration } from '@tapdeck/units'
import { flag, text } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { type Admission, parseAdmission } from '../attach/admission.ts'
import { mayCapture, NO_NET_RAW } from '../attach/container-rights.ts'
import { RECEIVED, RECORDER_SETTINGS } from '../attach/recorder-settings.ts'
import { command, exitStatus } from '../command.ts'
import { CommandFailed } from '../command-failed.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'
import { runPart } from '../parts/run-part.ts'
import { superviseParts } from '../parts/supervisor.ts'

const ADMISSION_WITHIN_MS = 120_000
const DEFAULT_KEEP = '10m'
/** The longest that a timer can wait. */
const MAX_KEEP_MS = 24 * 86_400_000

const { set, data } = configOptions

export const recorder = command({
  name: 'recorder',
  summary: 'Records the pod that it runs in. `tapdeck attach` starts it there.',
  options: {
    pod: text('NAMESPACE/NAME', 'The pod.'),
    keep: text('DURATION', `Ends by itself after this time; 0: never. Default: ${DEFAULT_KEEP}.`),
    join: flag('Joins a hub: reads what `tapdeck access recorder` prints, as one line, from standard input.'),
    'token-digest': text('SHA256', 'Without --join: the digest of the API token that its own hub accepts.'),
    data,
    set,
  },
  notes:
    'It captures on the interfaces of its container and needs NET_RAW. Without --join it runs a hub of its own, on the loopback of the pod.',
  async run({ options, env, terminal }) {
    const [namespace = '', name = '', ...more] = (options.pod ?? '').split('/')
    if (namespace === '' || name === '' || more.length > 0)
      throw new UsageError('expected --pod NAMESPACE/NAME')
    const keepMs = keepTime(options.keep ?? DEFAULT_KEEP)
    if (!mayCapture(await readFile('/proc/self/status', 'utf8')))
      throw new CommandFailed(NO_NET_RAW, { status: exitStatus.noCapture })
    const node = recorderName(namespace, name)
    const load = (own: readonly string[], values: readonly string[] = []) => {
      const settings = [...RECORDER_SETTINGS, `tap.node=${node}`, ...own, ...options.set]
      const none = { host: undefined, port: undefined, interface: [], 'set-string': [] }
      return loadConfig({ ...none, data: options.data, values, set: settings }, env)
    }
    let start: () => Promise<number>
    if (options.join) {
      const admission = await readAdmission()
      const folder = (await load([])).config.data
      const files = await writeAdmission(folder, admission)
      const own = [`hub.url=${admission.url}`, ...(files.ca === undefined ? [] : [`tap.tls.ca=${files.ca}`])]
      const boot = await load(own, [files.values])
      await terminal.out(`${RECEIVED}\n`)
      start = () => runPart('worker', boot, { TAPDECK_WORKER_TOKEN: admission.credential })
    } else {
      const digest = options['token-digest']
      const boot = await load([
        'hub.host=127.0.0.1',
        ...(digest === undefined ? [] : ['tap.auth.enabled=true']),
      ])
      if (digest !== undefined) await acceptToken(boot.config.data, digest)
      start = () => superviseParts(boot, terminal.note)
    }
    // The parts end as at any request to stop.
    const timer = keepMs === 0 ? undefined : setTimeout(() => process.kill(process.pid, 'SIGTERM'), keepMs)
    const status = await start()
    clearTimeout(timer)
    return status
  },
})

/** Milliseconds; 0: for ever. */
export function keepTime(given: string): number {
  const ms = given === '0' ? 0 : parseDuration(given)
  if (ms === undefined || ms < 0 || ms > MAX_KEEP_MS)
    throw new UsageError(`--keep: expected a duration up to 24d such as 10m, or 0, not "${given}"`)
  return ms
}

async function readAdmission(): Promise<Admission> {
  const input = createInterface({ input: process.stdin })
  const late = AbortSignal.timeout(ADMISSION_WITHIN_MS)
  try {
    const line = await new Promise<string>((resolve, reject) => {
      input.once('line', resolve)
      input.once('close', () => reject(new Error('the standard input ended without a line')))
      late.addEventListener('abort', () =>
        reject(new Error('nothing came on the standard input in two minutes')),
      )
    })
    return parseAdmission(line)
  } catch (error) {
    throw new CommandFailed(`cannot join the hub: ${(error as Error).message}`)
  } finally {
    input.close()
  }
}

async function writeAdmission(folder: string, { ca, values }: Admission) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = { values: join(folder, 'recorder-values.json'), ca: join(folder, 'link-ca.pem') }
  await writeFile(file.values, JSON.stringify(values), { mode: 0o600 })
  if (ca !== null) await writeFile(file.ca, ca, { mode: 0o600 })
  return { values: file.values, ...(ca !== null && { ca: file.ca }) }
}

/** Only who has the token, of which the container knows no more than its digest, is an administrator of this hub. */
async function acceptToken(folder: string, digest: string): Promise<void> {
  const id = digest.slice(0, 12)
  const record = apiToken.safeParse({
    ...{ id, name: 'attach', role: 'svc-admin', digest },
    ...{ created_at: new Date().toISOString(), expires_at: null },
  })
  if (!record.success) throw new UsageError('--token-digest: expected 64 hexadecimal digits')
  const tokens = join(folder, tokenFolder)
  await mkdir(tokens, { recursive: true, mode: 0o700 })
  await writeFile(join(tokens, `${id}.json`), JSON.stringify(record.data), { mode: 0o600 })
}
