import { readFileSync } from 'node:fs'
import { ConfigError, readYaml } from '@tapdeck/config'
import { type Inventory, InventoryError, parseInventory } from '@tapdeck/inventory'
import { UsageError } from '../arguments/usage-error.ts'

/** Throws `UsageError` for what is no inventory, and what the file system throws. */
export function readInventory(file: string): Inventory {
  try {
    return parseInventory(readYaml(file, readFileSync(file, 'utf8')))
  } catch (error) {
    if (error instanceof InventoryError) throw new UsageError(`${file}: ${error.message}`)
    if (error instanceof ConfigError) throw new UsageError(error.message)
    throw error
  }
}
