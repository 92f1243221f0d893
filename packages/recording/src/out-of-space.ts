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

/** The same of the text of an error, where libraries and threads give no more. */
export function isDiskFullText(text: string): boolean {
  return /ENOSPC|EDQUOT|No space left|quota exceeded|disk is full|does not fit/i.test(text)
}
