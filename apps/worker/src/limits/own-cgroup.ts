import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A folder with the files of a controller, by the version of cgroups that wrote them. */
export interface CgroupFolder {
  readonly version: 1 | 2
  readonly folder: string
}

/**
 * The folders in which a controller (`memory`, `cpu`) may have the files of this process, likeliest first. In a container,
 * the folder of its own group is the root, whatever its path says.
 */
export function ownCgroups(
  controller: string,
  root = '/sys/fs/cgroup',
  own = '/proc/self/cgroup',
): CgroupFolder[] {
  const paths = readText(own) ?? ''
  const [, path2 = '/'] = /^0::(\/.*)$/m.exec(paths) ?? []
  const line = new RegExp(`^\\d+:(?:[^:\\n]*,)?${controller}(?:,[^:\\n]*)?:(/.*)$`, 'm')
  const [, path1 = '/'] = line.exec(paths) ?? []
  return [
    { version: 2, folder: join(root, path2) },
    { version: 2, folder: root },
    { version: 1, folder: join(root, controller, path1) },
    { version: 1, folder: join(root, controller) },
  ]
}

/** Undefined if there is no such file, or the word at this position is not a number. */
export function readNumber(folder: string, file: string, position = 0): number | undefined {
  const text = (readText(join(folder, file)) ?? '').split(/\s+/)[position] ?? ''
  return /^-?\d+$/.test(text) ? Number(text) : undefined
}

/** The numbers of a file with one `name number` on each line; 0 for names that it does not have. */
export function readNumbers(folder: string, file: string, names: readonly string[]): number[] {
  const text = readText(join(folder, file)) ?? ''
  return names.map((name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0))
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
