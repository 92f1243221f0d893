/** The bytes would go past a configured maximum, or the disk itself is full. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom'
  readonly needed: number
  readonly free: number

  constructor(message: string, needed: number, free: number) {
    super(message)
    this.needed = needed
    this.free = free
  }
}

/** What the file system says where a disk, or the part of it that somebody may use, is full. */
export function isDiskFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT'
}
