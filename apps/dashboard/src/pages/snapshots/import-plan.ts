import { nameProblem } from './thing-name.ts'

export interface PlannedFile {
  readonly file: string
  /** The node of the snapshot that the file becomes. */
  readonly node: string
  readonly append?: 'true'
  readonly more?: 'true'
}

const ENDINGS = /(\.(pcap|pcapng|cap|gz|zst))+$/i

/** How files become one snapshot: in their order, each a node of its own. */
export function importPlan(files: readonly string[]): readonly PlannedFile[] {
  const taken = new Set<string>()
  return files.map((file, at) => {
    const stem =
      file
        .replace(ENDINGS, '')
        .replaceAll(/[/\s\p{Cc}]+/gu, '-')
        .slice(0, 240) || 'import'
    let node = stem
    for (let number = 2; taken.has(node); number++) node = `${stem}-${number}`
    taken.add(node)
    return {
      file,
      node,
      ...(at > 0 && { append: 'true' as const }),
      ...(at < files.length - 1 && { more: 'true' as const }),
    }
  })
}

/** A name for the snapshot out of the name of the first file, that is free. */
export function importName(file: string, taken: readonly string[]): string {
  const words = file
    .replace(ENDINGS, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
  const stem = words.replace(/^[^a-z0-9]+/, '').slice(0, 56) || 'import'
  let name = stem
  for (let number = 2; nameProblem(name, taken) !== undefined; number++) name = `${stem}-${number}`
  return name
}
