import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { processCpu } from './process-cpu.ts'
import type { Recorder } from './recorder.ts'

/** `tcpdump -w`, with the same kernel buffer and at the same priority as the recorder next to it. */
export async function startTcpdump(
  interfaceName: string,
  file: string,
  bufferBytes: number,
): Promise<Recorder> {
  const args = ['-n', '-10', 'tcpdump', '-i', interfaceName, '-n', '-Z', 'root']
  args.push('-B', String(bufferBytes / 1024), '-s', '262144', '-w', file)
  const child = spawn('nice', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`tcpdump: ${said}`)))
    child.stderr.on('data', (chunk) => {
      said += chunk
      if (said.includes('listening on')) resolve()
    })
  })
  return {
    cpu: () => processCpu(child.pid ?? 0),
    async stop() {
      child.kill('SIGINT')
      await once(child, 'close')
      const count = (what: string) => Number(new RegExp(`(\\d+) packets? ${what}`).exec(said)?.[1])
      return { packets: count('captured'), drops: count('dropped by kernel') }
    },
  }
}
