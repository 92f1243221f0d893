import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A ClickHouse with its data below a folder, or the server that the environment names. */
export async function startClickhouse(folder: string) {
  const given = process.env.TAPDECK_CLICKHOUSE_URL
  if (given) return { url: given, data: folder, cpu: () => 0, stop: () => undefined }
  const data = join(folder, 'clickhouse')
  mkdirSync(data)
  const child: ChildProcess = spawn(process.execPath, ['scripts/clickhouse.mjs', '--serve', data], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { url, pid } = await new Promise<{ url: string; pid: number }>((resolve, reject) => {
    child.stdout?.once('data', (line) => resolve(JSON.parse(String(line))))
    child.once('exit', () => reject(new Error('ClickHouse did not start.')))
  })
  const cpu = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
    // Ticks of user and system time; a second has 100.
    return (Number(fields[11]) + Number(fields[12])) / 100
  }
  return { url, data, cpu, stop: () => void child.stdin?.end() }
}
