import { existsSync, renameSync, rmSync } from 'node:fs'

/** Where a damaged index is kept; at most one. */
export function damagedFolder(folder: string): string {
  return `${folder}.damaged`
}

/** Moves a damaged index away; replaces an earlier one. */
export function moveDamaged(folder: string): void {
  if (!existsSync(folder)) return
  rmSync(damagedFolder(folder), { recursive: true, force: true })
  renameSync(folder, damagedFolder(folder))
}
