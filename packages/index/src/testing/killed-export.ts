import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { ParquetFolder } from '../parquet/parquet-folder.ts'

/*
 * A process that replaces a table and is killed before the nth change that it makes in the file system. Arguments: the folder of
 * the table, the text of its only row, n.
 */
async function main(): Promise<void> {
  const [path, name, killedAt] = process.argv.slice(2)
  let changes = 0
  for (const change of ['mkdir', 'open', 'rename', 'rm', 'rmdir'] as const) {
    const original = promises[change] as (...args: unknown[]) => Promise<unknown>
    const counted = (...args: unknown[]) => {
      if (++changes === Number(killedAt)) process.kill(process.pid, 'SIGKILL')
      return original(...args)
    }
    Object.assign(promises, { [change]: counted })
  }
  syncBuiltinESMExports()
  const table = await ParquetFolder.open(path, { name: 'VARCHAR' })
  await table.append([{ name }])
  await table.finish()
}

void main()
