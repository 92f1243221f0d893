/** An inventory that cannot be read: which place, and what belongs there. */
export class InventoryError extends Error {
  override readonly name = 'InventoryError'
  /** Such as `pods[3].ips[0]`. */
  readonly path: string

  constructor(path: string, message: string) {
    super(path === '' ? message : `${path}: ${message}`)
    this.path = path
  }
}
