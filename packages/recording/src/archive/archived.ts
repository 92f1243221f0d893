/** A small file of a snapshot that lies in the bucket next to its captures: names, events, sealed keys. */
export interface ArchivedExtra {
  readonly file: string
  readonly size_bytes: number
  readonly sha256: string
}

/** What the bucket has of a capture file beside its bytes. */
export interface ArchivedFile {
  readonly file: string
  /** Of the object with the checksums of its blocks. */
  readonly sums_sha256: string
  /** The checksum of its segment index; absent where it has none. */
  readonly index?: ArchivedExtra
}

/** Where a snapshot is in a bucket. Its objects are below `data/<id>/` and never change. */
export interface Archived {
  readonly id: string
  /** The address of the bucket and prefix: a hub may be given another one. */
  readonly at: string
  /** The manifest is in the bucket, and with it the snapshot: what is on this disk is a copy. */
  readonly done: boolean
  /** Uploads that were begun, by file, so that a restarted hub continues them. */
  readonly uploads?: Readonly<Record<string, string>>
  readonly files?: readonly ArchivedFile[]
  readonly extras?: readonly ArchivedExtra[]
  /** The name under which the manifest was before. */
  readonly renamed_from?: string
}

export const MANIFESTS = 'manifests/'
export const DATA = 'data/'
/** States of dissections: `dissections/<id of the snapshot>/<name>.json`. */
export const DISSECTIONS = 'dissections/'

export function manifestKey(name: string): string {
  return `${MANIFESTS}${name}.json`
}

export function dataKey(id: string, file: string): string {
  return `${DATA}${id}/${file}`
}

export function sumsKey(id: string, file: string): string {
  return `${dataKey(id, file)}.sums`
}

export function indexKey(id: string, file: string): string {
  return `${dataKey(id, file)}.idx`
}

export function dissectionKey(id: string, name: string): string {
  return `${DISSECTIONS}${id}/${name}.json`
}

/** A file of a dissection, below the data of its snapshot. */
export function runFile(run: string, file: string): string {
  return `${DISSECTIONS}${run}/${file}`
}
