import { Problem } from '@tapdeck/api'
import { readYaml } from '@tapdeck/config'
import { type Inventory, parseInventory } from '@tapdeck/inventory'

const MAX_BYTES = 32 * 1024 * 1024

/** The names of addresses that come with captures: JSON or YAML. Throws 400 where it is none. */
export async function importNames(bytes: AsyncIterable<Uint8Array>): Promise<Inventory> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of bytes) {
    size += part.length
    if (size > MAX_BYTES)
      throw new Problem(413, 'body_too_large', `Inventory too large (max ${MAX_BYTES} bytes)`)
    parts.push(part)
  }
  try {
    return parseInventory(readYaml('the inventory', Buffer.concat(parts).toString()))
  } catch (error) {
    throw new Problem(400, 'not_an_inventory', error instanceof Error ? error.message : String(error), {
      hint: 'Send JSON or YAML with pods, services and nodes, in the format of tap.inventory.',
    })
  }
}
