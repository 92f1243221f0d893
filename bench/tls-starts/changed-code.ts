import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

/**
 * How many bytes of a file's code differ in the memory of a process that runs it. A probe is an instruction that the kernel writes there,
 * so this is 0 if nothing is attached.
 */
export function changedCode(pid: number, path: string): number {
  const file = readFileSync(path)
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  let changed = 0
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      const [, from, to, mode, offset] =
        /^([0-9a-f]+)-([0-9a-f]+) (\S+) ([0-9a-f]+) \S+ \d+\s+/.exec(line) ?? []
      if (!line.endsWith(path) || !mode?.includes('x')) continue
      const [start, at] = [Number.parseInt(from!, 16), Number.parseInt(offset!, 16)]
      const code = Buffer.alloc(Math.min(Number.parseInt(to!, 16) - start, file.length - at))
      readSync(memory, code, 0, code.length, start)
      for (let i = 0; i < code.length; i++) if (code[i] !== file[at + i]) changed++
    }
  } finally {
    closeSync(memory)
  }
  return changed
}
