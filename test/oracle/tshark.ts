import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { readPdml, type ShownPacket } from './pdml.ts'

const run = promisify(execFile)
const MOST = 512 * 1024 * 1024

/** The version that the list of differences was made with; another one differs elsewhere. */
export const TSHARK = '4.0'

/** The version that is installed, or nothing. */
export async function tsharkVersion(): Promise<string | undefined> {
  try {
    const { stdout } = await run('tshark', ['--version'])
    return /TShark \(Wireshark\) (\d+\.\d+)/.exec(stdout)?.[1]
  } catch {
    return undefined
  }
}

/** In two passes, so that what is known only at the end is said. `as`: what is spoken on ports that tshark does not know, such as `tcp.port==6380,resp`. */
export async function tshark(file: string, as: readonly string[]): Promise<ShownPacket[]> {
  const decodeAs = as.flatMap((one) => ['-d', one])
  const { stdout } = await run('tshark', ['-n', '-2', '-r', file, '-T', 'pdml', ...decodeAs], {
    maxBuffer: MOST,
  })
  return readPdml(stdout)
}
