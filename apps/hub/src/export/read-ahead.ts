/** The same items; the next one is asked for while the present one is used. */
export async function* readAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = items.next()
  // Whoever stops early never looks at what was asked for last.
  next.catch(() => {})
  try {
    for (let { done, value } = await next; !done; { done, value } = await next) {
      next = items.next()
      next.catch(() => {})
      yield value
    }
  } finally {
    await items.return(undefined)
  }
}
