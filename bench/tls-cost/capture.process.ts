import { ProcessKeySource } from '../../apps/worker/src/keys/process-key-source.ts'
import { PlaintextProbes } from './plaintext-probes.ts'

/**
 * Takes the keys of some processes, or copies the plaintext of those that run a file, until it is ended. Prints a line when its probes are
 * attached. Arguments: `keys` and process ids, or `plaintext` and the file.
 */
const READ_EVERY_MS = 100
const [kind, target = ''] = process.argv.slice(2)
if (kind === 'keys') {
  const pids = new Set(target.split(',').map(Number))
  const source = new ProcessKeySource({
    isTargeted: ({ pid }) => pids.has(pid),
    maxHitsPerSecond: Number.POSITIVE_INFINITY,
  })
  source.start(() => {})
  let said = false
  setInterval(() => {
    const { probes, reason } = source.status()
    if (said || (probes === 0 && reason === undefined)) return
    said = true
    process.stdout.write(`${reason ?? 'attached'}\n`)
  }, READ_EVERY_MS)
} else {
  const probes = await PlaintextProbes.attach(target)
  setInterval(() => probes.read(), READ_EVERY_MS)
  process.stdout.write('attached\n')
}
