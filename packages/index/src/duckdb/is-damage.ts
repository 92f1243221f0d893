/** What a database says about the moment and not about its files: another process has it, no space, no right. */
const OF_THE_MOMENT =
  /could not set lock|conflicting lock|permission|too many open files|no space|out of memory|EACCES|EPERM|EROFS|EMFILE|ENFILE|ENOSPC|EDQUOT|ENOMEM/i

/** Whether an error at opening means that the files are damaged. */
export function isDamage(error: unknown): boolean {
  return !OF_THE_MOMENT.test(String(error))
}

/** Whether an error of a query means that a file is damaged: the database found a wrong checksum or a missing part. */
export function isCorrupt(error: unknown): boolean {
  return /corrupt database file|could not read enough bytes|failed to deserialize/i.test(String(error))
}
