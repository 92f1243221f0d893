/** A part of a path that stands for one of many: digits, a UUID or other long hexadecimal; then what follows it. */
export const ID_PART = '/([0-9]+|[0-9a-fA-F-]{8,})(/|$)'

const everyId = new RegExp(ID_PART, 'g')

/** `/users/42/orders/7` is `/users/{id}/orders/{id}`: what calls to the same place have in common. */
export function pathTemplate(path: string): string {
  // Twice, because two ids in a row share a slash.
  return path.replace(everyId, '/{id}$2').replace(everyId, '/{id}$2')
}
