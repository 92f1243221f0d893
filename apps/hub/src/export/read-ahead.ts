/** The same items; the next one is asked for while the present one is used. */
export async function* readAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = items.next()
  // A reader that stops early never awaits the last read.
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
