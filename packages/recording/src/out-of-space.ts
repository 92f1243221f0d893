/** A configured maximum would be exceeded, or the disk is full. */
export class OutOfSpace extends Error {
  override readonly name = 'OutOfSpace'
  readonly needed: number
  readonly free: number

  constructor(message: string, needed: number, free: number) {
    super(message)
    this.needed = needed
    this.free = free
  }
}

/** Whether an error means that the disk or the quota is full. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined | null)?.code
  return code === 'ENOSPC' || code === 'EDQUOT'
}
